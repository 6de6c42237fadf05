# SPDX-License-Identifier: MIT
"""The Debian packages and the container image: how they are made on bare systems of Debian, and whether they work for a user.

scripts/release uses them. Both are without LibTorch. The files that describe them are in scripts/packages.
"""

import email.utils
import gzip
import hashlib
import json
import pathlib
import re
import shutil
import sys
import tarfile
import time

import python_package as package
import wheel_roots as roots

SUITE = "bookworm"
DEBIAN = pathlib.Path("scripts/packages/debian")  # below the folder of the sources
CONFIGURATION = "/usr/share/helioray/configs/quickstart.yaml"
IMAGE_LIMIT_B = 150e6
RENDER = """
import rattler_build as rattler, sys
platform = rattler.PlatformConfig(target_platform="linux-64", experimental=True)
recipe, = rattler.Stage0Recipe.from_file(sys.argv[1]).render(rattler.VariantConfig(), rattler.RenderConfig(platform=platform))
assert recipe.recipe.package.name == "helioray"
"""
# A container does without these files.
LEFT_OUT = ["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*", "/var/cache/*", "/var/lib/apt/*", "/var/log/*"]


def build_deb(work, tree, commit, say):
    """Compiles the Debian packages of the sources in `tree` in a system of Debian that has nothing but what they need for it, and checks them
    with lintian. Returns the files of the program and of the libraries."""
    version, = set(package.versions(tree).values())
    day, = set(package.dates(tree).values())
    copied = work / f"deb/helioray-{version}"
    shutil.rmtree(work / "deb", ignore_errors=True)
    shutil.copytree(tree, copied, ignore=shutil.ignore_patterns("build"))
    shutil.copytree(tree / DEBIAN, copied / "debian")
    maintainer = re.search("^Maintainer: (.*)", (tree / DEBIAN / "control").read_text(), re.MULTILINE)[1]
    date = email.utils.formatdate(time.mktime(time.strptime(day, "%Y-%m-%d")), localtime=False)
    (copied / "debian/changelog").write_text(f"helioray ({version}) {SUITE}; urgency=medium\n\n  * Version {version}; CHANGELOG.md lists the changes.\n\n"
                                             f" -- {maintainer}  {date}\n")
    control = (tree / DEBIAN / "control").read_text()
    needs = re.search("^Build-Depends: (.*)", control, re.MULTILINE)[1]
    packages = [re.sub(r" *\(.*", "", name) for name in needs.split(", ")]
    packages = ["debhelper" if name.startswith("debhelper") else name for name in packages]
    say(f"a system of {roots.DISTRIBUTIONS[SUITE]} that compiles Debian packages")
    common = roots.compiler_cache()
    builder = roots.Root(work / "root-deb", SUITE, ["build-essential", "ccache", "lintian", *packages], [work, common["CCACHE_DIR"]])
    # With the CMake of other builds the compiler cache knows their objects: versions differ in the order of options.
    pinned = re.search(r"^cmake==\S+", (tree / "scripts/requirements.txt").read_text(), re.MULTILINE)[0]
    cmake = work / "tools" / pinned
    if not cmake.exists():
        package.succeed(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", cmake, pinned, cwd=work, source=tree)
    say("Debian packages (minutes without a compiler cache)")
    builder.run(f"cd {copied} && PATH={cmake}/cmake/data/bin:$PATH dpkg-buildpackage -b -uc -us", DEB_BUILD_OPTIONS=f"parallel={common['HELIORAY_JOBS']}", HELIORAY_GIT_COMMIT=commit,
                CCACHE_BASEDIR=str(copied), **common)
    say("lintian")
    files = [*(work / "deb").glob("helioray_*.deb"), *(work / "deb").glob("libhelioray-dev_*.deb")]
    printed, _ = builder.run(f"lintian --allow-root --fail-on error,warning {' '.join(map(str, files))}")
    if printed.strip():
        raise package.Failure(f"lintian:\n{printed}")
    say("a program with the installed libraries")
    consumer = f"{work}/deb/consumer"
    # The program has to be there, as CMake looks for all files that the packages have brought.
    power, _ = builder.run(f"""dpkg -i {' '.join(map(str, files))} >/dev/null
        cmake -G Ninja -S {tree}/tests/package/consumer -B {consumer} -DONLY_RUN=ON -DCMAKE_BUILD_TYPE=Release >/dev/null
        cmake --build {consumer} >/dev/null
        cd {tree} && {consumer}/in_memory configs/quickstart.yaml
        dpkg --purge helioray libhelioray-dev >/dev/null""", **common)
    whole, half = map(float, power.split())
    if not 0.0 < half < whole:
        raise package.Failure(f"a program with the installed libraries computes powers of {whole} and {half} W")
    return files


def try_deb(work, files):
    """Installs the packages on a bare system, draws a picture as a user without rights, and removes them. Returns a row of the table."""
    program = files[0]
    shutil.rmtree(work / "root-deb-user", ignore_errors=True)  # the packages that come along are part of the test
    root = roots.Root(work / "root-deb-user", SUITE, [], [work])
    root.run("apt-get update -qq")
    before, _ = root.run("dpkg-query -W -f '${Package}\\n'")
    _, install_s = root.run(f"DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends {program} >/dev/null 2>&1")
    picture_s = try_program(root, "helioray", CONFIGURATION)
    root.run("test -s /usr/share/man/man1/helioray.1.gz && grep -q _helioray /usr/share/bash-completion/completions/helioray "
             "&& cd /tmp && helioray example field && rm field.yaml")
    root.run("DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq --autoremove helioray >/dev/null 2>&1")
    # The work folder is mounted in a system of its own, in which find would walk in a circle.
    left, _ = root.run(f"find / -xdev -ignore_readdir_race \\( -path '{work}' -o -path /proc -o -path /home \\) -prune -o -name '*helioray*' -print")
    after, _ = root.run("dpkg-query -W -f '${Package}\\n'")
    if left.strip() or after != before:
        raise package.Failure(f"removing the package leaves files or packages:\n{left}\n{set(after.split()) - set(before.split())}")
    return ("Debian package", roots.DISTRIBUTIONS[SUITE], f"{program.stat().st_size / 1e6:.1f}", f"{install_s:.0f}", f"{picture_s:.1f}")


def try_program(root, program, configuration, **environment):
    """Draws the quickstart's picture as a user without rights, and compares its fingerprint. Returns the seconds that it took."""
    printed, seconds = root.run(f"cd && {program} raytrace {configuration} -o flux.h5 --image flux.png --json && head -c 4 flux.png | grep -q PNG",
                                user=True, **environment)
    if package.FINGERPRINT not in printed:
        raise package.Failure(f"{root.folder.name}: the quickstart has another fingerprint than {package.FINGERPRINT}:\n{printed}")
    return seconds


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def build_image(work, tree, commit, deb, say):
    """Writes the container image with the program of a Debian package as an OCI archive. Returns its file."""
    version, = set(package.versions(tree).values())
    say("the system of the container")
    shutil.rmtree(work / "root-image", ignore_errors=True)
    root = roots.Root(work / "root-image", SUITE, ["usr-is-merged"], [deb.parent], without=LEFT_OUT)
    root.run(f"""apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends {deb} >/dev/null 2>&1
        useradd --uid 1000 --user-group --create-home --shell /bin/sh helioray
        find /var/lib/apt /var/cache /var/log -type f -delete""")
    for name in ("complete", str(deb.parent).lstrip("/"), "etc/resolv.conf"):
        remove(root.folder, name)
    say("the image")
    folder = work / "image"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "blobs/sha256").mkdir(parents=True)
    layer = folder / "layer.tar"
    with tarfile.open(layer, "w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(root.folder.rglob("*")):
            name = path.relative_to(root.folder)
            if name.parts[0] not in ("dev", "proc", "sys") or len(name.parts) == 1:
                tar.add(path, str(name), recursive=False)
    contents = layer.read_bytes()
    if len(contents) > IMAGE_LIMIT_B:
        raise package.Failure(f"the image has {len(contents) / 1e6:.0f} MB, more than {IMAGE_LIMIT_B / 1e6:.0f}")
    layer.unlink()

    def add(data, kind):
        (folder / "blobs/sha256" / digest(data).split(":")[1]).write_bytes(data)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": digest(data), "size": len(data)}

    def add_json(content, kind):
        return add(json.dumps(content, sort_keys=True).encode(), kind)

    packed = add(gzip.compress(contents, mtime=0), "layer.v1.tar+gzip")
    configuration = {"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": [digest(contents)]},
                     "config": {"User": "helioray", "Entrypoint": ["/usr/bin/helioray"], "Cmd": ["--help"], "WorkingDir": "/home/helioray",
                                "Env": ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/home/helioray"],
                                "Labels": {"org.opencontainers.image.title": "HelioRay", "org.opencontainers.image.version": version,
                                           "org.opencontainers.image.revision": commit, "org.opencontainers.image.licenses": "MIT"}}}
    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": add_json(configuration, "config.v1+json"),
                "layers": [packed]}
    # Skopeo finds the image by the first name; Podman and containerd call it by the second one.
    names = {"org.opencontainers.image.ref.name": version, "io.containerd.image.name": f"localhost/helioray:{version}"}
    tagged = add_json(manifest, "manifest.v1+json") | {"annotations": names}
    (folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [tagged]}))
    (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    archive = work / f"helioray-{version}-oci.tar"
    with tarfile.open(archive, "w") as tar:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            tar.add(path, str(path.relative_to(folder)))
    return archive


def remove(folder, name):
    """Removes a file or folder of a system, and the folders around it that are empty then."""
    path = folder / name
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    for parent in path.parents:
        if parent == folder or any(parent.iterdir()):
            return
        parent.rmdir()


def try_image(work, archive):
    """Unpacks the image with skopeo and umoci, which check it, and starts it as its configuration says. Returns a row of the table."""
    tools = roots.Root(work / "root-tools", SUITE, ["skopeo", "umoci"], [work])
    shutil.rmtree(work / "bundle", ignore_errors=True)
    shutil.rmtree(work / "layout", ignore_errors=True)
    version = archive.name.split("-")[1]
    _, unpack_s = tools.run(f"skopeo --insecure-policy copy -q oci-archive:{archive}:{version} oci:{work}/layout:{version} "
                            f"&& umoci unpack --image {work}/layout:{version} {work}/bundle >/dev/null 2>&1")
    process = json.loads((work / "bundle/config.json").read_text())["process"]
    user = process["user"]
    if user["uid"] == 0 or process["args"][0] != "/usr/bin/helioray":
        raise package.Failure(f"the image starts {process['args']} as user {user['uid']}")
    root = roots.Root(work / "bundle/rootfs")
    environment = dict(text.split("=", 1) for text in process["env"])
    picture_s = try_program(root, process["args"][0], CONFIGURATION, **environment)
    printed, _ = root.run("helioray --version", user=True, **environment)
    if version not in printed:
        raise package.Failure(f"the program of the image says that it is {printed}")
    return ("container", "OCI archive", f"{archive.stat().st_size / 1e6:.1f}", f"{unpack_s:.0f}", f"{picture_s:.1f}")


def render_recipe(made):
    """Renders the recipe for conda, which fails if its form, a variable or a selector is wrong."""
    python = made.environment("recipe", "py-rattler-build==0.73.0")
    package.succeed(python, "-c", RENDER, made.tree / "scripts/packages/conda.yaml", cwd=made.work, source=made.tree,
                    HELIORAY_VERSION=package.versions(made.tree)["CMakeLists.txt"])


def table(rows):
    """The rows of try_deb() and try_image() as a table in Markdown."""
    lines = ["| package | system | MB | install, s | first picture, s |", "|---|---|---|---|---|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
