"""The 15 corruptions of CIFAR-10-C (Hendrycks & Dietterich 2019), five severities.

Own numpy and PIL code on whole batches of uint8 images n,h,w,3; the severity
constants are those published for the 32x32 sets (hendrycks/robustness,
make_cifar_c.py). Known departures from the published images:

  motion_blur,   the streak is sampled bilinearly at the drawn angle (the original
  snow           uses ImageMagick, whole pixels)
  frost          the frost is drawn by noise, not cut from photographs

Two sequences are not monotone in pixel difference, because of their constants: from 3
to 4 glass_blur has less blur and a second round, and elastic_transform less of the
affine part and more of the local one. Thicker frost makes the image below it darker.
"""

import io
import zlib

import numpy as np
from PIL import Image

# --- helpers: x is float64 in [0, 1], n,h,w or n,h,w,channels ----------------


def blur(x, sigma, truncate=4.0):
    """Gaussian filter along axes 1 and 2, edges repeated."""
    radius = int(truncate * sigma + 0.5)
    if radius == 0:
        return x
    taps = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    taps /= taps.sum()
    for axis in (1, 2):
        pad = [(0, 0)] * x.ndim
        pad[axis] = (radius, radius)
        wide = np.pad(x, pad, mode="symmetric" if radius < x.shape[axis] else "edge")
        x = sum(t * np.take(wide, range(i, i + x.shape[axis]), axis) for i, t in enumerate(taps))
    return x


def grid(x):
    """Row and column coordinates of every pixel, n,h,w each."""
    n, h, w = x.shape[:3]
    rows, cols = np.meshgrid(np.arange(h, dtype=float), np.arange(w, dtype=float), indexing="ij")
    return np.broadcast_to(rows, (n, h, w)), np.broadcast_to(cols, (n, h, w))


def sample(x, rows, cols, reflect=False):
    """Bilinear values of x at fractional places. Outside, x continues with its edge or its mirror image."""

    def inside(v, size):
        if reflect:
            v = np.abs(v) % (2 * size - 2)
            v = np.minimum(v, 2 * size - 2 - v)
        return np.clip(v, 0, size - 1)

    rows, cols = inside(rows, x.shape[1]), inside(cols, x.shape[2])
    r0, c0 = np.floor(rows).astype(int), np.floor(cols).astype(int)
    r1, c1 = np.minimum(r0 + 1, x.shape[1] - 1), np.minimum(c0 + 1, x.shape[2] - 1)
    fr, fc = rows - r0, cols - c0
    if x.ndim == 4:
        fr, fc = fr[..., None], fc[..., None]
    b = np.arange(len(x))[:, None, None]
    top = x[b, r0, c0] * (1 - fc) + x[b, r0, c1] * fc
    bottom = x[b, r1, c0] * (1 - fc) + x[b, r1, c1] * fc
    return top * (1 - fr) + bottom * fr


def zoom(x, factor):
    """Magnifies about the centre, keeping the size."""
    rows, cols = grid(x)
    centre = (x.shape[1] - 1) / 2
    return sample(x, (rows - centre) / factor + centre, (cols - centre) / factor + centre)


def streak(x, radius, sigma, degrees):
    """One-sided Gaussian motion blur of 2 radius + 1 taps; one angle an image."""
    rows, cols = grid(x)
    angle = np.deg2rad(degrees)[:, None, None]
    taps = np.exp(-0.5 * (np.arange(2 * radius + 1) / sigma) ** 2)
    taps /= taps.sum()
    # Taps beyond five sigma weigh less than a rounding step of uint8.
    used = [i for i, t in enumerate(taps) if t > 1e-5]
    return sum(taps[i] * sample(x, rows + i * np.sin(angle), cols + i * np.cos(angle)) for i in used)


def plasma(rng, n, decay, side=32):
    """Diamond-square height maps in [0, 1], wrapped at the edges.

    The noise shrinks by decay^2 per level, because the published code scales both the
    amplitude and the range from which the noise is drawn.
    """
    a = np.zeros((n, side, side))
    step, amplitude = side, 1.0
    while step >= 2:
        half = step // 2

        def noisy(mean):
            return mean + amplitude * rng.uniform(-1, 1, mean.shape)

        corner = a[:, ::step, ::step]
        across = corner + np.roll(corner, -1, 1)
        a[:, half::step, half::step] = noisy((across + np.roll(across, -1, 2)) / 4)
        centre = a[:, half::step, half::step]
        a[:, ::step, half::step] = noisy((centre + np.roll(centre, 1, 1) + corner + np.roll(corner, -1, 2)) / 4)
        a[:, half::step, ::step] = noisy((centre + np.roll(centre, 1, 2) + corner + np.roll(corner, -1, 1)) / 4)
        step, amplitude = half, amplitude / decay**2
    a -= a.min((1, 2), keepdims=True)
    return a / a.max((1, 2), keepdims=True)


def by_image(x, change):
    """Applies a PIL image -> PIL image function to every image."""
    return np.stack([np.asarray(change(Image.fromarray(i))) for i in to_bytes(x)]) / 255.0


def to_bytes(x):
    """Truncates as the published sets do."""
    return (np.clip(x, 0, 1) * 255).astype(np.uint8)


# --- corruptions: x, severity constant, generator -> x -----------------------


def gaussian_noise(x, c, rng):
    return x + rng.normal(0, c, x.shape)


def shot_noise(x, c, rng):
    return rng.poisson(x * c) / c


def impulse_noise(x, c, rng):
    """A share c of all values (channel by channel) becomes 0 or 1."""
    hit, salt = rng.random(x.shape) < c, rng.random(x.shape) < 0.5
    return np.where(hit, salt, x)


def defocus_blur(x, c, rng):
    """Disk kernel of radius c[0], smoothed by a 3x3 Gaussian of sigma c[1]."""
    radius, smooth = c
    side = np.arange(-8, 9)
    disk = (side[:, None] ** 2 + side[None] ** 2 <= radius**2).astype(float)
    taps = np.exp(-0.5 * (np.arange(-1, 2) / smooth) ** 2)
    taps /= taps.sum()
    wide = np.pad(disk / disk.sum(), 1)
    kernel = sum(
        taps[i] * taps[j] * wide[i : i + 17, j : j + 17] for i in range(3) for j in range(3)
    )
    h, w = x.shape[1:3]
    wide = np.pad(x, ((0, 0), (8, 8), (8, 8), (0, 0)), mode="reflect")
    return sum(kernel[i, j] * wide[:, i : i + h, j : j + w] for i, j in np.argwhere(kernel > 0))


def glass_blur(x, c, rng):
    """Blur, take pixels from random neighbours, blur.

    The published loop is meant to swap two pixels, but overwrites one of them. It runs
    from bottom right to top left and looks only up and left. So it gathers from pixels
    that are not yet changed, `rounds` times.
    """
    sigma, delta, rounds = c
    x = to_bytes(blur(x, sigma))
    n, h, w = x.shape[:3]
    rows, cols = (v.astype(int) for v in grid(x))
    moving = np.zeros((h, w), int)
    moving[delta + 1 : h - delta + 1, delta + 1 : w - delta + 1] = 1
    for _ in range(rounds):
        dy, dx = rng.integers(-delta, delta, (2, n, h, w)) * moving
        x = x[np.arange(n)[:, None, None], rows + dy, cols + dx]
    return blur(x / 255.0, sigma)


def motion_blur(x, c, rng):
    radius, sigma = c
    return streak(x, radius, sigma, rng.uniform(-45, 45, len(x)))


def zoom_blur(x, c, rng):
    factors = np.arange(1, c, 0.01)
    return (x + sum(zoom(x, f) for f in factors)) / (len(factors) + 1)


def snow(x, c, rng):
    mean, spread, factor, threshold, radius, sigma, keep = c
    layer = zoom(rng.normal(mean, spread, x.shape[:3]), factor)
    layer = np.clip(np.where(layer < threshold, 0, layer), 0, 1)
    layer = streak(layer, radius, sigma, rng.uniform(-135, -45, len(x)))[..., None]
    grey = (x @ [0.299, 0.587, 0.114])[..., None]
    x = keep * x + (1 - keep) * np.maximum(x, grey * 1.5 + 0.5)
    return x + layer + np.rot90(layer, 2, (1, 2))


def frost_texture(rng, side=160):
    """Procedural frost: needles along six directions over a cloudy film, bluish white."""
    film = plasma(rng, 1, 1.6, 256)[:, :side, :side]
    needles = np.zeros_like(film)
    first = rng.uniform(0, 60)
    for k in range(6):
        seeds = np.where(rng.random(film.shape) < 0.02, rng.random(film.shape), 0)
        needles = np.maximum(needles, 12 * streak(seeds, 12, 8.0, np.array([first + 60 * k])))
    x = np.clip(0.75 * film + 0.6 * np.clip(needles, 0, 1), 0, 1)[0]
    return x[..., None] * [0.85, 0.95, 1.0]


def frost(x, c, rng):
    keep, weight = c
    textures = [frost_texture(rng) for _ in range(5)]
    h, w = x.shape[1:3]
    layer = np.empty_like(x)
    for row in layer:
        t = textures[rng.integers(5)]
        top, left = rng.integers(t.shape[0] - h), rng.integers(t.shape[1] - w)
        row[:] = t[top : top + h, left : left + w]
    return keep * x + weight * layer


def fog(x, c, rng):
    thickness, decay = c
    brightest = x.max((1, 2, 3), keepdims=True)
    x = x + thickness * plasma(rng, len(x), decay, x.shape[1])[..., None]
    return x * brightest / (brightest + thickness)


def brightness(x, c, rng):
    """Adds c to the value of HSV; hue and saturation stay, so the channels scale together."""
    value = x.max(3, keepdims=True)
    new = np.clip(value + c, 0, 1)
    return np.where(value > 0, x / np.maximum(value, 1e-12), 1) * new


def contrast(x, c, rng):
    mean = x.mean((1, 2), keepdims=True)
    return (x - mean) * c + mean


def elastic_transform(x, c, rng):
    """A random affine map, then a smooth random field; c is in shares of the side."""
    strength, sigma, jitter = (x.shape[1] * v for v in c)
    n, side = len(x), x.shape[1]
    centre, reach = side // 2, side // 3
    anchor = np.array([[1, 1], [1, -1], [-1, -1]]) * reach + centre
    moved = anchor + rng.uniform(-jitter, jitter, (n, 3, 2))
    # The source of each output pixel: the map that takes moved to anchor.
    inverse = np.linalg.solve(np.concatenate([moved, np.ones((n, 3, 1))], 2), np.broadcast_to(anchor, (n, 3, 2)).astype(float))
    rows, cols = grid(x)
    place = np.stack([cols, rows, np.ones_like(rows)], -1).reshape(n, -1, 3) @ inverse
    place = place.reshape(n, side, side, 2)
    x = sample(x, place[..., 1], place[..., 0], reflect=True)
    if strength > 0:
        dx, dy = (strength * blur(rng.uniform(-1, 1, x.shape[:3]), sigma, truncate=3) for _ in range(2))
        x = sample(x, rows + dy, cols + dx, reflect=True)
    return x


def pixelate(x, c, rng):
    side = x.shape[1]
    return by_image(x, lambda i: i.resize((int(side * c),) * 2, Image.BOX).resize((side, side), Image.BOX))


def jpeg_compression(x, c, rng):
    def change(image):
        f = io.BytesIO()
        image.save(f, "JPEG", quality=c)
        return Image.open(f)

    return by_image(x, change)


# function, constants of severity 1..5
CORRUPTIONS = {
    "gaussian_noise": (gaussian_noise, [0.04, 0.06, 0.08, 0.09, 0.10]),
    "shot_noise": (shot_noise, [500, 250, 100, 75, 50]),
    "impulse_noise": (impulse_noise, [0.01, 0.02, 0.03, 0.05, 0.07]),
    "defocus_blur": (defocus_blur, [(0.3, 0.4), (0.4, 0.5), (0.5, 0.6), (1, 0.2), (1.5, 0.1)]),
    "glass_blur": (glass_blur, [(0.05, 1, 1), (0.25, 1, 1), (0.4, 1, 1), (0.25, 1, 2), (0.4, 1, 2)]),
    "motion_blur": (motion_blur, [(6, 1), (6, 1.5), (6, 2), (8, 2), (9, 2.5)]),
    "zoom_blur": (zoom_blur, [1.06, 1.11, 1.16, 1.21, 1.26]),
    "snow": (
        snow,
        [
            (0.1, 0.2, 1, 0.6, 8, 3, 0.95),
            (0.1, 0.2, 1, 0.5, 10, 4, 0.9),
            (0.15, 0.3, 1.75, 0.55, 10, 4, 0.9),
            (0.25, 0.3, 2.25, 0.6, 12, 6, 0.85),
            (0.3, 0.3, 1.25, 0.65, 14, 12, 0.8),
        ],
    ),
    "frost": (frost, [(1, 0.2), (1, 0.3), (0.9, 0.4), (0.85, 0.4), (0.75, 0.45)]),
    "fog": (fog, [(0.2, 3), (0.5, 3), (0.75, 2.5), (1, 2), (1.5, 1.75)]),
    "brightness": (brightness, [0.05, 0.1, 0.15, 0.2, 0.3]),
    "contrast": (contrast, [0.75, 0.5, 0.4, 0.3, 0.15]),
    "elastic_transform": (
        elastic_transform,
        [(0, 0, 0.08), (0.05, 0.2, 0.07), (0.08, 0.06, 0.06), (0.1, 0.04, 0.05), (0.1, 0.03, 0.03)],
    ),
    "pixelate": (pixelate, [0.95, 0.9, 0.85, 0.75, 0.65]),
    "jpeg_compression": (jpeg_compression, [80, 65, 58, 50, 40]),
}


def corrupt(images, name, severity):
    """uint8 images n,h,w,3 -> the same shape, corrupted; the same call gives the same bytes."""
    change, constants = CORRUPTIONS[name]
    rng = np.random.default_rng(zlib.crc32(f"{name}/{severity}".encode()))
    return to_bytes(change(images / 255.0, constants[severity - 1], rng))


def contact_sheet(images, path, scale=3):
    """Severities 1..5 of every corruption for a few images, one corruption a row."""
    rows = [
        np.concatenate([np.concatenate(corrupt(images, name, s), 1) for s in range(1, 6)], 1)
        for name in CORRUPTIONS
    ]
    sheet = Image.fromarray(np.concatenate(rows))
    sheet.resize((sheet.width * scale, sheet.height * scale), Image.NEAREST).save(path)
