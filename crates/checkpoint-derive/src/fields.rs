//! The fields of a struct or variant, and how a checkpoint treats each.

use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, Fields, Ident, Index, Member, Path, Token, WherePredicate, parse_quote};

/// The part of a field that a checkpoint holds.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Part {
    /// The state of the field.
    Saved,
    /// The state of each element of the field.
    Each,
    /// Nothing, because the field never changes.
    Rebuilt,
    /// Nothing, because other code saves the field or recomputes it.
    Elsewhere,
}

/// A field, with its name and its part of the checkpoint.
struct Field {
    member: Member,
    /// Name to which patterns bind the field.
    bound: Ident,
    part: Part,
}

/// A struct, or one variant of an enum.
pub(crate) struct Shape {
    constructor: Tokens,
    fields: Vec<Field>,
}

impl Shape {
    /// Returns the shape of a struct or variant with `constructor` and `fields`.
    pub(crate) fn new(constructor: Tokens, fields: &Fields) -> syn::Result<Self> {
        let mut own = Vec::new();
        for (index, field) in fields.iter().enumerate() {
            let member = match &field.ident {
                Some(name) => Member::Named(name.clone()),
                None => Member::Unnamed(Index::from(index)),
            };
            own.push(Field {
                member,
                bound: format_ident!("__field{index}"),
                part: part(&field.attrs)?,
            });
        }
        Ok(Self {
            constructor,
            fields: own,
        })
    }

    /// Returns the pattern that names every field and binds each one that saving or loading uses.
    pub(crate) fn pattern(&self) -> Tokens {
        let constructor = &self.constructor;
        let fields = self.fields.iter().map(|field| {
            let (member, bound) = (&field.member, &field.bound);
            match field.part {
                Part::Elsewhere => quote!(#member: _),
                Part::Saved | Part::Each | Part::Rebuilt => quote!(#member: #bound),
            }
        });
        quote!(#constructor { #(#fields),* })
    }

    /// Returns the names to which the pattern binds the fields.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Ident> {
        self.fields.iter().map(|field| &field.bound)
    }

    /// Returns the expression that builds a value by fetching each field.
    pub(crate) fn made(&self, checkpoint: &Path) -> Tokens {
        let constructor = &self.constructor;
        let fields = self.fields.iter().map(|field| {
            let member = &field.member;
            quote!(#member: #checkpoint::Stored::fetch(__input)?)
        });
        quote!(#constructor { #(#fields),* })
    }

    /// Returns the statements that save each field or pass it to an audit. `name` is the name of
    /// the type.
    pub(crate) fn saved(&self, checkpoint: &Path, name: &Ident) -> impl Iterator<Item = Tokens> {
        let field_name = move |member: &Member| match member {
            Member::Named(field) => format!("{name}.{field}"),
            Member::Unnamed(index) => format!("{name}.{}", index.index),
        };
        self.fields.iter().filter_map(
            move |Field {
                      member,
                      bound,
                      part,
                  }| match part {
                Part::Saved => Some(quote! {
                    #checkpoint::Checkpointed::save(#bound, __out);
                }),
                Part::Each => Some(quote! {
                    #checkpoint::save_each(#bound.iter(), __out);
                }),
                Part::Rebuilt => {
                    let name = field_name(member);
                    let name = quote!(::core::concat!(::core::module_path!(), "::", #name));
                    Some(quote!(__out.audit(#name, #bound);))
                }
                Part::Elsewhere => None,
            },
        )
    }

    /// Returns the statements that load each field.
    pub(crate) fn loaded(&self, checkpoint: &Path) -> impl Iterator<Item = Tokens> {
        self.fields
            .iter()
            .filter_map(move |Field { bound, part, .. }| match part {
                Part::Saved => Some(quote! {
                    #checkpoint::Checkpointed::load(#bound, __input)?;
                }),
                Part::Each => Some(quote! {
                    #checkpoint::load_each(#bound.iter_mut(), __input)?;
                }),
                Part::Rebuilt | Part::Elsewhere => None,
            })
    }
}

/// Parses the `checkpoint` attributes of a field.
fn part(attributes: &[Attribute]) -> syn::Result<Part> {
    let mut part = Part::Saved;
    for attribute in attributes
        .iter()
        .filter(|one| one.path().is_ident("checkpoint"))
    {
        attribute.parse_nested_meta(|meta| {
            part = if meta.path.is_ident("rebuilt") {
                Part::Rebuilt
            } else if meta.path.is_ident("elsewhere") {
                Part::Elsewhere
            } else if meta.path.is_ident("each") {
                Part::Each
            } else {
                return Err(meta.error(
                    "a field is `rebuilt`, saved `elsewhere`, or saved by `each` of its elements",
                ));
            };
            Ok(())
        })?;
    }
    Ok(part)
}

/// The `checkpoint` attributes of a type.
pub(crate) struct Options {
    /// Path of the module with the traits.
    pub(crate) checkpoint: Path,
    /// Bounds on the type's parameters, if they are not derived.
    pub(crate) bounds: Option<Punctuated<WherePredicate, Token![,]>>,
}

impl Options {
    pub(crate) fn of(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut core: Path = parse_quote!(::fabricsim_base);
        let mut bounds = None;
        for attribute in attributes
            .iter()
            .filter(|one| one.path().is_ident("checkpoint"))
        {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("crate") {
                    core = meta.value()?.call(Path::parse_mod_style)?;
                } else if meta.path.is_ident("bound") {
                    let content;
                    syn::parenthesized!(content in meta.input);
                    bounds = Some(content.parse_terminated(|input| input.parse(), Token![,])?);
                } else {
                    return Err(
                        meta.error("a type has a `bound(..)`, or says where the `crate` is")
                    );
                }
                Ok(())
            })?;
        }
        Ok(Self {
            checkpoint: parse_quote!(#core::checkpoint),
            bounds,
        })
    }
}
