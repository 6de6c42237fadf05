# SPDX-License-Identifier: MIT
"""What pip builds the Python package with: scikit-build-core, after the system packages that it compiles with.

On Debian and Ubuntu scripts/setup --package installs those that are missing, as root or with a sudo that asks for no password; elsewhere
CMake says what it does not find. HELIORAY_SETUP=OFF leaves the system as it is.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

from scikit_build_core.build import *  # noqa: F403 (the hooks of PEP 517)
from scikit_build_core import build
from scikit_build_core.settings.skbuild_overrides import strtobool

SETUP = pathlib.Path(__file__).parent / "setup"


def install_system_packages():
    if os.environ.get("HELIORAY_SETUP") == "OFF" or not shutil.which("dpkg-query"):
        return
    has_headers = (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists()
    more = [] if has_headers else [f"python{sys.version_info.major}.{sys.version_info.minor}-dev"]
    # As the overrides in pyproject.toml take it: 0 and OFF are no.
    if strtobool(os.environ.get("HELIORAY_TORCH", "")):
        more.append("libgloo-dev")
    if subprocess.run(["bash", str(SETUP), "--package", *more]).returncode != 0:
        raise SystemExit("HelioRay was not built: system packages are missing, see the lines above")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    install_system_packages()
    return build.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    install_system_packages()
    return build.build_editable(wheel_directory, config_settings, metadata_directory)
