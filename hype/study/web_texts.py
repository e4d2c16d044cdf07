"""What the pages say to participants in a browser beside the study's texts, in English."""

from __future__ import annotations

from collections.abc import Mapping, Set
from types import MappingProxyType
from typing import ClassVar

from hype.study.texts import Words


class WebTexts(Words):
    """The words of the pages; ``[web.texts]`` of a study file overrides any of them.

    Of those that are pages of their own, the first paragraph is the title.
    """

    in_text: ClassVar[Mapping[str, Set[str]]] = MappingProxyType(
        {
            "small_window": {"width", "height"},
            "image": {"name"},
            "axis": {"number", "of"},
            "rank": {"rank"},
            "back_to": {"platform"},
            "close_to": {"platform"},
        }
    )

    # While a session goes on
    loading: str = "One moment, please."
    measuring: str = "Your screen is being measured. This takes a few seconds."
    pause: str = "Pause"
    whole_screen: str = "Use the whole screen"
    whole_screen_why: str = (
        "In the whole screen nothing else distracts you. You can leave it at any time."
    )
    left_whole_screen: str = "You left the whole screen."
    was_away: str = "You were on another page or in another program."
    connection_lost: str = (
        "The connection is lost. Your answers up to here are saved, and it goes on by itself as "
        "soon as the connection is back. Please leave this page open."
    )
    connection_back: str = "The connection is back."
    busy: str = "The study is busy. It goes on by itself in a moment."
    moved: str = (
        "You went on elsewhere\n\n"
        "This session goes on in another tab or window. You can close this one, or go on here."
    )
    go_on_here: str = "Go on here"
    gone: str = (
        "This page is not the latest\n\n"
        "Nothing was lost. Load the page again to go on where you stopped."
    )
    broken: str = (
        "Something went wrong here\n\n"
        "It is nothing you did, and your answers up to here are saved. Load the page again to go "
        "on."
    )
    reload: str = "Load the page again"
    stopped: str = (
        "Stopped for now\n\nEverything is saved. Open the same link again to go on where you are."
    )
    # What is said of a trial to those who do not see it
    image: str = "Image {name}"
    axis: str = "Question {number} of {of}"
    rank: str = "Place {rank}"
    order: str = "The order so far"
    progress: str = "How much of this part is done"
    # In the end
    back_to: str = "Back to {platform}"
    finish: str = "Finish"
    completion_code: str = "Your completion code"
    copy_code: str = "Copy"
    copied: str = "Copied"
    close: str = "Your answers are saved. You can close this page now."
    close_to: str = (
        "Your answers are saved. Close this page and go back to {platform}: the task is handed in "
        "there by itself."
    )
    # Why somebody cannot take part, or not now
    no_phones: str = (
        "Please come with a computer\n\n"
        "Some images flash up for a few hundredths of a second, which phones and tablets cannot "
        "time well enough. Open the same link on a laptop or a desktop computer."
    )
    small_window: str = (
        "Please make this window larger\n\n"
        "The images need at least {width} × {height} pixels. Make the window larger, or turn your "
        "device, and go on."
    )
    unsteady_display: str = (
        "This screen cannot keep time well enough\n\n"
        "Some images flash up for a few hundredths of a second, and in this browser they would not "
        "come and go when they should. It is nothing you did. Closing other programs and tabs, "
        "or another browser, may help."
    )
    old_browser: str = (
        "Please use a newer browser\n\n"
        "This one lacks something that the study needs. Open the same link in an up-to-date "
        "browser."
    )
    no_script: str = "This study needs JavaScript. Please allow it for this page and load it again."
    no_cookies: str = (
        "Please allow cookies\n\n"
        "This page keeps one cookie, so that you can go on where you stopped. Allow cookies for "
        "this page, or leave the private window, and open the link again."
    )
    enough_people: str = (
        "Thank you for coming\n\nEnough people have taken part, and nobody more is needed."
    )
    full: str = (
        "Many people are taking part right now\n\n"
        "There is no free place at this moment. Please try again in some minutes."
    )
    doors_closed: str = (
        "The study is closed for now\n\nPlease try again later. Whoever has begun can go on."
    )
    not_invited: str = (
        "This link is not complete\n\n"
        "The study is for people who were invited. Please open the link exactly as you received it."
    )
    came_before: str = (
        "You have taken part already\n\n"
        "Thank you. Each person can take part once, and your answers are saved."
    )
    session_over: str = (
        "This session was closed\n\n"
        "Nothing happened for a long time. Everything is saved: load the page again to go on where "
        "you stopped."
    )
    not_here: str = "There is nothing here\n\nPlease open the link exactly as you received it."
    preview: str = (
        "This is a preview\n\n"
        "You can take part once you have accepted the task. The images then open in a window of "
        "their own."
    )
    accepted: str = (
        "You can begin\n\n"
        "The study opens in a window of its own. Leave this page open: when you are done there, "
        "the task is handed in here by itself."
    )
    own_window: str = "Open the study in a window of its own"
    handing_in: str = (
        "Thank you\n\nThe task is being handed in. If nothing happens, hand it in with this button."
    )
    hand_in: str = "Hand in the task"
