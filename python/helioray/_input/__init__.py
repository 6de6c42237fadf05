# SPDX-License-Identifier: MIT
"""Arguments of calls: keys of configurations, frames, progress and warnings."""
