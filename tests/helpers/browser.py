"""A real browser for the tests of pages, and what a reader does in it."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
ui = pytest.importorskip("selenium.webdriver.support.ui")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
if not (CHROMIUM and DRIVER):
    pytest.skip("no chromium with chromedriver on this machine", allow_module_level=True)

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
SCREENS = {"desk": (1366, 768), "phone": (390, 844)}


@contextmanager
def open_browser(profile):
    """A browser with an empty profile that keeps its logs."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.set_window_size(1366, 900)
    try:
        yield driver
    finally:
        driver.quit()


@contextmanager
def screen(browser, name):
    """The browser with the screen of a desk or a phone."""
    width, height = SCREENS[name]
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": name == "phone"}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        yield width, height
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def prefer(browser, scheme):
    """What the system prefers: "light" or "dark"."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def wait(browser, condition):
    return ui.WebDriverWait(browser, 60).until(lambda driver: condition())


def press(page, selector):
    """Put the focus on an element and press the enter key."""
    page.execute_script(
        "const e = document.querySelector(arguments[0]); e.focus(); e.scrollIntoView()", selector
    )
    page.switch_to.active_element.send_keys(webdriver.Keys.ENTER)


def board(page):
    """Texts of the leaderboard, line by line."""
    return page.execute_script(
        "return [...document.querySelectorAll('#leaderboard tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"
    )


def first_screen(page):
    """Where the leaderboard stands, and its cells that do not show all of their text."""
    return page.execute_script(
        """
        const table = document.getElementById("leaderboard"), box = table.getBoundingClientRect();
        const cells = [...table.querySelectorAll("tbody td, tbody th")];
        return { top: box.top, bottom: box.bottom,
          right: Math.max(...cells.map((cell) => cell.getBoundingClientRect().right)),
          cut: cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1
            && getComputedStyle(cell).display !== "inline").map((cell) => cell.textContent) };"""
    )


def choose(page, name, value):
    """Pick a value of a selector, as a reader does, and wait for the address bar."""
    ui.Select(page.find_element("id", f"select-{name}")).select_by_value(value)
    wait(page, lambda: f"{name}={value}" in page.current_url)


def covered_names(page, selector):
    """Pairs of names in a picture that cover each other, and names outside of it."""
    return page.execute_script(
        """
        const picture = document.querySelector(arguments[0] + " svg");
        const frame = picture.getBoundingClientRect();
        const names = [...picture.querySelectorAll("text")]
          .map((e) => [e.textContent, e.getBoundingClientRect()]);
        const found = [];
        names.forEach(([a, x], i) => {
          if (x.left < frame.left - 1 || x.right > frame.right + 1) found.push([a, "outside"]);
          for (const [b, y] of names.slice(i + 1)) {
            const wide = Math.min(x.right, y.right) - Math.max(x.left, y.left);
            const high = Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top);
            if (wide > 1 && high > 3) found.push([a, b]);
          }
        });
        return found;""",
        selector,
    )
