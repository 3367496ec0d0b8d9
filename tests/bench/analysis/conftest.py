"""A browser for the tests of the page."""

import pytest


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A real one; the test is skipped where there is none."""
    from tests.helpers.browser import open_browser

    with open_browser(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def page(browser, report):
    """The page that a module's fixture ``report`` has written, opened anew."""
    browser.get("about:blank")
    browser.get(report.as_uri())
    return browser
