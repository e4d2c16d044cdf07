"""Sphinx's settings for the documents; `build.py` copies its input."""

from importlib.metadata import version as version_of

project = "hype"
author = "the authors of hype"
release = version_of("hype")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
suppress_warnings = ["myst.header"]  # a page may begin with a heading below its title
napoleon_google_docstring = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings give shapes and units, types do not
autodoc_inherit_docstrings = False
html_theme = "furo"
html_title = f"hype {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # it fetches pages, which browsers do not allow for file://
html_theme_options = {"top_of_page_buttons": []}
