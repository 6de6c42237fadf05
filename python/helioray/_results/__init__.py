# SPDX-License-Identifier: MIT
"""Results, and the functions that compute them."""
