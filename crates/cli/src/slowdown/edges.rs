//! Sizes at which bins end.

use std::str::FromStr;

use fabricsim_base::units::Bytes;

/// Upper ends of bins, in increasing order.
#[derive(Clone, Debug)]
pub(super) struct Edges(pub(super) Vec<Bytes>);

impl FromStr for Edges {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const DEFAULT: &str = "10KB,30KB,100KB,200KB,1MB,6MB";
        let text = if text == "default" { DEFAULT } else { text };
        let sizes = text.split(',').map(|size| size.parse::<Bytes>());
        let sizes: Vec<Bytes> = sizes
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?;
        if sizes.is_sorted_by(|a, b| a < b) {
            Ok(Self(sizes))
        } else {
            Err("sizes do not increase; write them like `10KB,100KB,1MB`".to_owned())
        }
    }
}
