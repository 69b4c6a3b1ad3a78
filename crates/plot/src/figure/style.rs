//! Style of a series.

/// The look of a series. Series differ in dash and marker as well as in color, so that a figure can
/// also be read in gray.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Style {
    /// Index into the palette, modulo its size ([`Style::COLORS`]).
    pub color: usize,
    /// The pattern of the line.
    pub dash: Dash,
    /// The marker, if any. A line has about ten of them, not one at each point.
    pub marker: Option<Marker>,
    /// The way in which the points are joined.
    pub draw: Draw,
    /// Prominence of the series.
    pub strength: Strength,
}

/// The pattern of a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Dash {
    /// Unbroken.
    Solid,
    /// Long dashes.
    Long,
    /// Dots.
    Dotted,
    /// Dashes and dots.
    DashDot,
    /// Short dashes.
    Short,
}

/// A sign at a point.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// Two crossed lines.
    Cross,
    /// A triangle that points down.
    Wedge,
}

/// The way in which the points of a series are joined.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Draw {
    /// Points are joined by straight lines.
    Line,
    /// Each value holds until the next point.
    Steps,
    /// Points are not joined. Each of them has a marker.
    Points,
}

/// Prominence of a series.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Strength {
    /// A subject of the figure.
    Full,
    /// A reference behind it, such as a published curve.
    Faint,
}

impl Dash {
    const ALL: [Self; 5] = [
        Self::Solid,
        Self::Long,
        Self::Dotted,
        Self::DashDot,
        Self::Short,
    ];

    /// Returns the lengths of strokes and gaps, in units of the picture; `None` for an unbroken
    /// line.
    pub(super) const fn pattern(self) -> Option<&'static str> {
        match self {
            Self::Solid => None,
            Self::Long => Some("9 4"),
            Self::Dotted => Some("2 3"),
            Self::DashDot => Some("9 3 2 3"),
            Self::Short => Some("5 3"),
        }
    }
}

impl Marker {
    const ALL: [Self; 6] = [
        Self::Circle,
        Self::Square,
        Self::Triangle,
        Self::Diamond,
        Self::Cross,
        Self::Wedge,
    ];
}

impl Style {
    /// Number of colors in the palette.
    pub const COLORS: usize = 7;

    /// Returns the look of series number `index`, from zero. The first 35 differ in color or dash;
    /// neighbors differ in color, dash and marker.
    #[must_use]
    pub const fn nth(index: usize) -> Self {
        Self {
            color: index % Self::COLORS,
            dash: Dash::ALL[index % Dash::ALL.len()],
            marker: Some(Marker::ALL[index % Marker::ALL.len()]),
            draw: Draw::Line,
            strength: Strength::Full,
        }
    }

    /// Returns the look of a reference: a thin dotted gray line.
    #[must_use]
    pub const fn reference() -> Self {
        Self {
            color: Self::COLORS - 1,
            dash: Dash::Dotted,
            marker: None,
            draw: Draw::Line,
            strength: Strength::Faint,
        }
    }

    /// Returns the same look for the background: thin and pale, without markers.
    #[must_use]
    pub const fn faint(self) -> Self {
        Self {
            strength: Strength::Faint,
            marker: None,
            ..self
        }
    }

    /// Returns the same look without markers.
    #[must_use]
    pub const fn plain(self) -> Self {
        Self {
            marker: None,
            ..self
        }
    }

    /// Returns the same look with points joined as `draw`.
    #[must_use]
    pub const fn drawn(self, draw: Draw) -> Self {
        Self { draw, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_looks_differ_in_more_than_color() {
        let looks: Vec<Style> = (0..35).map(Style::nth).collect();
        for (i, a) in looks.iter().enumerate() {
            for b in &looks[..i] {
                assert!(a.color != b.color || a.dash != b.dash, "{a:?} {b:?}");
            }
        }
        for pair in looks.windows(2) {
            assert_ne!(pair[0].dash, pair[1].dash);
            assert_ne!(pair[0].marker, pair[1].marker);
        }
    }
}
