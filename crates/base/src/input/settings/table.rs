//! The macro that defines a table of settings from one description.

/// Defines a table of a scenario: each key with its meaning, type, default and range.
///
/// The macro generates the struct with public fields, its serialization by serde (unknown keys are
/// rejected), `KEYS` and `validate_ranges`. It also generates `Default` or, if some keys are
/// required, `with_required`, with these as arguments in the order of the table.
///
/// A default is written as in a scenario, or is one of:
/// - `required`: the table is rejected without the key;
/// - `none`: the field is an `Option`, which is skipped when the table is written;
/// - `null`: the field is an `Option`, which is written as null;
/// - `empty`: the field is a list, which is skipped if it is empty;
/// - `default`: the default of the field's type, which has no short form;
/// - `apart`: like `default`, but the key is not part of the table: a separate reader sets it.
///
/// The first paragraph of a key's comment is its meaning in lists and documents. Choices, range and
/// default are added to it. Attributes, in this order, add to a key:
/// - `#[range(from 1, to 7)]`: its limits; `above` and `below` exclude the limit itself;
/// - `#[refused("message", "help")]`: the error beyond the limits, with `{value}` for the value;
/// - `#[note("text")]`: follows the meaning, instead of choices and default.
///
/// A crate that uses the macro must depend on `serde`.
///
/// ```
/// use fabricsim_base::units::Rate;
///
/// fabricsim_base::settings! {
///     /// The table of an algorithm.
///     pub struct Config {
///         /// The share of the link that may be used.
///         #[range(above 0.0, to 1.0)]
///         pub share: f64 = 0.95,
///         /// The lowest rate.
///         #[note("(default: a hundredth of the NIC rate)")]
///         pub min_rate: Option<Rate> = none,
///     }
/// }
///
/// let config = Config::default();
/// assert_eq!(config.share, 0.95);
/// assert_eq!(
///     Config::KEYS[0].meaning,
///     "the share of the link that may be used, above 0, up to 1 (default 0.95)",
/// );
/// assert_eq!(Config::KEYS[1].row(), "| `min_rate` | rate | the lowest rate (default: a hundredth of the NIC rate) |");
/// assert!(Config { share: 0.0, ..config }.validate_ranges().is_err());
/// ```
#[macro_export]
macro_rules! settings {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident {
            $(
                $(#[doc = $doc:literal])+
                $(#[range($($bound:ident $limit:literal),+)])?
                $(#[refused($wrong:expr, $right:expr)])?
                $(#[note($note:literal)])?
                $field_vis:vis $key:ident: $ty:ty = $default:tt
            ),+ $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name {
            $($(#[doc = $doc])+ $field_vis $key: $ty,)+
        }

        // A table that is used in only one part of a crate does not need all of this.
        #[allow(dead_code)]
        impl $name {
            /// The keys of the table.
            $vis const KEYS: $crate::input::Keys = &[$({
                const LIMITS: &[$crate::input::Limit] = &[$($($crate::input::Limit {
                    bound: $crate::settings!(@bound $bound),
                    written: stringify!($limit),
                }),+)?];
                const DEFAULT: $crate::input::DefaultValue = $crate::settings!(@default $default);
                const KIND: $crate::input::ValueKind = <$ty as $crate::input::SettingValue>::KIND;
                const TEXT: $crate::input::Text = $crate::input::Text::of_key(
                    concat!($($doc, "\n"),+),
                    KIND,
                    LIMITS,
                    DEFAULT,
                    $crate::settings!(@note $($note)?),
                );
                const MEANING: [u8; TEXT.len()] = TEXT.cut();
                $crate::input::Key {
                    name: stringify!($key),
                    meaning: match ::std::str::from_utf8(&MEANING) {
                        Ok(meaning) => meaning,
                        Err(_) => panic!("it is cut from a text"),
                    },
                    kind: KIND,
                    default: DEFAULT,
                    limits: LIMITS,
                }
            }),+];

            /// Rejects values beyond their limits.
            ///
            /// # Errors
            /// The error names the key, the problem and a suggestion.
            $vis fn validate_ranges(&self) -> Result<(), $crate::input::ConfigError> {
                let mut keys = Self::KEYS.iter();
                $(
                    let key = keys.next().expect("a key for each field");
                    $crate::settings!(
                        @check key, &self.$key, [$($($bound $limit),+)?] [$($wrong, $right)?]
                    );
                )+
                Ok(())
            }
        }

        impl $crate::input::SettingValue for $name {
            const KIND: $crate::input::ValueKind = $crate::input::ValueKind::Table(Self::KEYS);
            type Bare = Self;

            fn given(&self) -> Option<&Self> {
                Some(self)
            }
        }

        $crate::settings!(@make $vis $name [] [] $($key: $ty = $default,)+);

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                #[derive(::serde::Deserialize)]
                #[serde(deny_unknown_fields)]
                struct Given {
                    $(#[serde(default)] $key: $crate::settings!(@given $ty, $default),)+
                }
                let given = Given::deserialize(deserializer)?;
                Ok(Self {
                    $($key: $crate::settings!(@read given.$key, $key, $default),)+
                })
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                use ::serde::ser::SerializeStruct as _;
                let fields = Self::KEYS.len();
                let mut table = serializer.serialize_struct(stringify!($name), fields)?;
                $($crate::settings!(@write table, self, $key, $default);)+
                table.end()
            }
        }
    };

    (@bound from) => { $crate::input::Bound::From };
    (@bound above) => { $crate::input::Bound::Above };
    (@bound to) => { $crate::input::Bound::To };
    (@bound below) => { $crate::input::Bound::Below };

    (@note) => { None };
    (@note $note:literal) => { Some($note) };

    (@default required) => { $crate::input::DefaultValue::Required };
    (@default none) => { $crate::input::DefaultValue::Absent };
    (@default empty) => { $crate::input::DefaultValue::Absent };
    (@default null) => { $crate::input::DefaultValue::Absent };
    (@default default) => { $crate::input::DefaultValue::Absent };
    (@default apart) => { $crate::input::DefaultValue::Absent };
    (@default $default:tt) => { $crate::input::DefaultValue::Value(stringify!($default)) };

    (@value $key:ident, none) => { None };
    (@value $key:ident, null) => { None };
    (@value $key:ident, empty) => { Vec::new() };
    (@value $key:ident, default) => { Default::default() };
    (@value $key:ident, apart) => { Default::default() };
    (@value $key:ident, []) => { Vec::new() };
    (@value $key:ident, [$($item:literal),+ $(,)?]) => {
        $crate::input::default_list(stringify!($key), [$($item),+])
    };
    (@value $key:ident, $default:literal) => {
        $crate::input::default_value(stringify!($key), $default)
    };

    (@given $ty:ty, apart) => { $crate::input::Given<$crate::input::Apart> };
    (@given $ty:ty, $default:tt) => { $crate::input::Given<$ty> };

    (@read $given:expr, $key:ident, apart) => {{
        let _ = $given;
        Default::default()
    }};
    (@read $given:expr, $key:ident, $default:tt) => {
        match $given.0 {
            Some(value) => value,
            None => $crate::settings!(@missing $key, $default),
        }
    };

    (@missing $key:ident, required) => {
        return Err(<D::Error as ::serde::de::Error>::missing_field(stringify!($key)))
    };
    (@missing $key:ident, $default:tt) => { $crate::settings!(@value $key, $default) };

    (@write $table:ident, $self:ident, $key:ident, none) => {
        if $self.$key.is_some() {
            $table.serialize_field(stringify!($key), &$self.$key)?;
        } else {
            $table.skip_field(stringify!($key))?;
        }
    };
    (@write $table:ident, $self:ident, $key:ident, empty) => {
        if $self.$key.is_empty() {
            $table.skip_field(stringify!($key))?;
        } else {
            $table.serialize_field(stringify!($key), &$self.$key)?;
        }
    };
    (@write $table:ident, $self:ident, $key:ident, $default:tt) => {
        $table.serialize_field(stringify!($key), &$self.$key)?;
    };

    (@check $at:ident, $value:expr, [] []) => { let _ = $at; };
    (@check $at:ident, $value:expr, [$($bound:ident $limit:literal),+] []) => {
        $crate::input::check_limits($at, $value, &[$(($crate::settings!(@bound $bound), $limit)),+], None)?;
    };
    (@check $at:ident, $value:expr, [$($bound:ident $limit:literal),+] [$wrong:expr, $right:expr]) => {
        $crate::input::check_limits(
            $at,
            $value,
            &[$(($crate::settings!(@bound $bound), $limit)),+],
            Some($crate::input::Refusal { message: $wrong, help: $right }),
        )?;
    };

    // A constructor: the first brackets collect required keys, the second keys with a default.
    (@make $vis:vis $name:ident [$($need:ident: $need_ty:ty,)*] [$($have:ident = $value:tt,)*]
        $key:ident: $ty:ty = required, $($rest:tt)*) => {
        $crate::settings!(
            @make $vis $name [$($need: $need_ty,)* $key: $ty,] [$($have = $value,)*] $($rest)*
        );
    };
    (@make $vis:vis $name:ident [$($need:ident: $need_ty:ty,)*] [$($have:ident = $value:tt,)*]
        $key:ident: $ty:ty = $default:tt, $($rest:tt)*) => {
        $crate::settings!(
            @make $vis $name [$($need: $need_ty,)*] [$($have = $value,)* $key = $default,] $($rest)*
        );
    };
    (@make $vis:vis $name:ident [] [$($have:ident = $value:tt,)*]) => {
        impl Default for $name {
            fn default() -> Self {
                Self { $($have: $crate::settings!(@value $have, $value),)* }
            }
        }
    };
    (@make $vis:vis $name:ident [$($need:ident: $need_ty:ty,)+] [$($have:ident = $value:tt,)*]) => {
        impl $name {
            /// Returns the settings with the required keys; all other keys have their defaults.
            #[must_use]
            $vis fn with_required($($need: $need_ty),+) -> Self {
                Self { $($need,)+ $($have: $crate::settings!(@value $have, $value),)* }
            }
        }
    };
}
