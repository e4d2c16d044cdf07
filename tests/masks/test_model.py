"""The texture model's settings: which are refused, and the suggested ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.errors import InputError
from hype.masks.model import LARGEST_PX, SMALLEST_PX, WINDOWS, TextureModel

SETTINGS = {
    "no scale": ({"scales": 0}, r"cannot have scales = 0; 1, 2, 3, 4, 5, 6, 7$"),
    "too many scales": ({"scales": 8}, r"cannot have scales = 8"),
    "one orientation": ({"orientations": 1}, r"cannot have orientations = 1; 2, 3, 4, 5, 6, 7, 8$"),
    "too many orientations": ({"orientations": 9}, r"cannot have orientations = 9"),
    "too narrow a window": ({"window": 3}, r"cannot have window = 3; 5, 7, 9, 11$"),
    "an even window": ({"window": 8}, r"cannot have window = 8"),
    "too wide a window": ({"window": 13}, r"cannot have window = 13"),
}


@pytest.mark.parametrize("what", SETTINGS)
def test_impossible_settings(what: str) -> None:
    settings, message = SETTINGS[what]
    with pytest.raises(InputError, match=f"^the texture model: {message}"):
        TextureModel(**settings)


@given(
    scales=st.integers(1, 7), orientations=st.integers(2, 8), window=st.sampled_from([5, 7, 9, 11])
)
def test_possible_settings(scales: int, orientations: int, window: int) -> None:
    model = TextureModel(scales=scales, orientations=orientations, window=window)
    assert (model.scales, model.orientations, model.window) == (scales, orientations, window)
    assert model.step % 2**scales == 0


def test_shapes_that_are_too_small_for_the_model() -> None:
    message = (
        r"^200 x 32 px: too small for 4 scales with a window of 7: the lowpass image would be 2 px;"
        r" fewer scales, or a smaller window$"
    )
    with pytest.raises(InputError, match=message):
        TextureModel().check((32, 200))
    assert not TextureModel().fits((32, 200))
    assert not TextureModel().fits((200, 32))


@pytest.mark.parametrize("shape", [(SMALLEST_PX - 1, 64), (64, LARGEST_PX + 1), (0, 0)])
def test_sides_that_no_mask_has(shape: tuple[int, int]) -> None:
    height, width = shape
    message = f"^a mask: cannot have {width} x {height} px; 16 to 4096 px on each side$"
    with pytest.raises(InputError, match=message):
        TextureModel(scales=1, window=5).check(shape)


@pytest.mark.parametrize("window", WINDOWS)
def test_a_lowpass_image_must_be_as_wide_as_the_window(window: int) -> None:
    model = TextureModel(scales=2, window=window)
    assert model.fits((4 * window, 400))
    assert not model.fits((400, 4 * window - 4))


@given(height=st.integers(16, 600), width=st.integers(16, 600), scales=st.integers(1, 7))
def test_a_shape_is_extended_by_less_than_a_step(height: int, width: int, scales: int) -> None:
    model = TextureModel(scales=scales)
    for side, extended in zip((height, width), model.extend((height, width)), strict=True):
        assert extended % model.step == 0
        assert side <= extended < side + model.step


@given(height=st.integers(16, 4096), width=st.integers(16, 4096))
def test_the_suited_model_is_the_largest_that_lets_go_of_the_layout(
    height: int, width: int
) -> None:
    shape, usual = (height, width), TextureModel()
    model = TextureModel.usual_for(shape)

    assert model.check(shape) is None
    assert (model.orientations, model.window) == (usual.orientations, usual.window)
    assert model.scales <= usual.scales
    assert model.scales == 1 or not model.holds_layout(shape)
    assert model.scales == usual.scales or TextureModel(scales=model.scales + 1).holds_layout(shape)
