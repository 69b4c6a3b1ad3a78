//! Reads the keys at the top of a scenario.

use std::path::Path;

use fabricsim_base::input::InputError;
use toml::Spanned;
use toml::de::DeValue;

use crate::schema::name::is_plain;
use crate::schema::profile::Profile;
use crate::text::messages::suggest;

/// A key at the top of a scenario, if it is given.
type Given<'v, 'a> = Option<&'v Spanned<DeValue<'a>>>;

/// Reads the name of the results; the default is the name of `file`.
pub(crate) fn read_name(value: Given<'_, '_>, file: &str) -> Result<String, InputError> {
    let Some(value) = value else {
        let stem = Path::new(file).file_stem();
        return Ok(stem.map_or_else(|| "run".to_owned(), |stem| stem.to_string_lossy().into()));
    };
    match value.get_ref().as_str() {
        Some(name) if is_plain(name) => Ok(name.to_owned()),
        _ => Err(InputError::new(
            value.span(),
            "a name is up to 200 letters, digits, dots, dashes and underscores in quotes, \
             and begins with none of `.` and `-`",
            "write it like \"fat320-websearch-50\"",
        )),
    }
}

/// Reads the seed of the random streams.
pub(crate) fn read_seed(value: Given<'_, '_>) -> Result<u64, InputError> {
    let Some(value) = value else {
        return Ok(1);
    };
    value
        .get_ref()
        .as_integer()
        .and_then(|integer| u64::from_str_radix(integer.as_str(), integer.radix()).ok())
        .filter(|&seed| i64::try_from(seed).is_ok())
        .ok_or_else(|| {
            InputError::new(
                value.span(),
                "a seed is a whole number from 0 to 2^63 - 1",
                "write it like `seed = 1`",
            )
        })
}

/// Reads the profile, if there is one.
pub(crate) fn read_profile(value: Given<'_, '_>) -> Result<Option<Profile>, InputError> {
    let Some(value) = value else {
        return Ok(None);
    };
    match value.get_ref().as_str() {
        Some("ns3-hpcc") => Ok(Some(Profile::Ns3Hpcc)),
        Some(name) => Err(InputError::new(
            value.span(),
            format!("there is no profile `{name}`"),
            suggest(name, Profile::NAMES),
        )),
        None => Err(InputError::new(
            value.span(),
            "a profile is a name in quotes",
            format!("write one of: {}", Profile::NAMES.join(", ")),
        )),
    }
}
