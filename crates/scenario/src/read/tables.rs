//! Reads tables whose keys all have defaults.

use fabricsim_core::input::{ConfigError, SettingValue};
use fabricsim_transport::tcp::{TcpConfig, TcpProfile};
use serde::de::DeserializeOwned;
use toml::de::DeTable;

use crate::text::document::Document;
use crate::text::error::Error;

/// Takes the table `name` out of `root`, or its defaults where there is none.
pub(crate) fn read_table<'a, T: DeserializeOwned + Default + SettingValue>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
    name: &str,
    validate: impl Fn(&T) -> Result<(), ConfigError>,
) -> Result<T, Error> {
    let Some(section) = document.section(root, name)? else {
        return Ok(T::default());
    };
    let settings: T = document.settings(&section, T::KIND.keys())?;
    validate(&settings).map_err(|error| document.refuse(&section, error))?;
    Ok(settings)
}

/// Takes the `[tcp]` table out of `root`. Its profile is that of datacenters where none is named.
pub(crate) fn read_tcp<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
) -> Result<TcpConfig, Error> {
    let table = root.get("tcp").and_then(|tcp| tcp.get_ref().as_table());
    let profile_given = table.is_some_and(|tcp| tcp.contains_key("profile"));
    let in_datacenter = |tcp: TcpConfig| match profile_given {
        true => tcp,
        false => TcpConfig {
            profile: TcpProfile::Datacenter,
            ..tcp
        },
    };
    let tcp = read_table(document, root, "tcp", |tcp: &TcpConfig| {
        in_datacenter(tcp.clone()).validate()
    })?;
    Ok(in_datacenter(tcp))
}
