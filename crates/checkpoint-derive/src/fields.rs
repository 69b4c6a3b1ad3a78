//! The fields of a struct or variant, and how a checkpoint treats each.

use proc_macro2::{TokenStream as Tokens, TokenTree};
use quote::ToTokens as _;
use quote::{format_ident, quote};
use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Field as Declared, Fields, Ident, Index, Member, Path, Token, WherePredicate,
    parse_quote,
};

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
    /// Kind of the numbers in the field, as a variant of `Kind`.
    kind: Ident,
}

/// A struct, or one variant of an enum.
pub(crate) struct Shape {
    constructor: Tokens,
    fields: Vec<Field>,
}

impl Shape {
    /// Returns the shape of a struct or variant with `constructor` and `fields`.
    pub(crate) fn new(
        constructor: Tokens,
        fields: &Fields,
        options: &Options,
    ) -> syn::Result<Self> {
        let mut own = Vec::new();
        for (index, field) in fields.iter().enumerate() {
            let member = match &field.ident {
                Some(name) => Member::Named(name.clone()),
                None => Member::Unnamed(Index::from(index)),
            };
            let (part, kind) = treatment(field, options)?;
            own.push(Field {
                member,
                bound: format_ident!("__field{index}"),
                part,
                kind,
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

    /// Returns the statements that store each field.
    pub(crate) fn stored(&self, checkpoint: &Path) -> impl Iterator<Item = Tokens> {
        self.fields.iter().map(move |Field { bound, kind, .. }| {
            quote! {
                __out.declare(#checkpoint::Kind::#kind);
                #checkpoint::Stored::store(#bound, __out);
            }
        })
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
                      kind,
                  }| match part {
                Part::Saved => Some(quote! {
                    __out.declare(#checkpoint::Kind::#kind);
                    #checkpoint::Checkpointed::save(#bound, __out);
                }),
                Part::Each => Some(quote! {
                    __out.declare(#checkpoint::Kind::#kind);
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

/// Types of numbers that move with the state, or may move.
const INTEGERS: [&str; 4] = ["u16", "u32", "u64", "usize"];
const QUANTITIES: [&str; 3] = ["Bytes", "Duration", "Time"];

/// Returns `true` if the type of `field` mentions one of `names`.
fn mentions(field: &Declared, names: &[&str]) -> bool {
    fn find(tokens: Tokens, names: &[&str]) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => names.iter().any(|name| ident == name),
            TokenTree::Group(group) => find(group.stream(), names),
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        })
    }
    find(field.ty.to_token_stream(), names)
}

/// Returns the variant of `Kind` that an attribute names.
fn kind_of(meta: &ParseNestedMeta<'_>) -> Option<Ident> {
    let variants = [
        ("plain", "Plain"),
        ("deadline", "Deadline"),
        ("record", "Record"),
        ("sequence", "Sequence"),
        ("goal", "Goal"),
        ("counter", "Counter"),
        ("extreme", "Extreme"),
    ];
    let mut variants = variants.iter();
    let (_, variant) = variants.find(|(name, _)| meta.path.is_ident(name))?;
    Some(format_ident!("{variant}"))
}

/// Parses the `checkpoint` attributes of a field: its part of a checkpoint, and the kind of its
/// numbers.
fn treatment(field: &Declared, options: &Options) -> syn::Result<(Part, Ident)> {
    let mut part = Part::Saved;
    let mut kind = None;
    for attribute in field
        .attrs
        .iter()
        .filter(|one| one.path().is_ident("checkpoint"))
    {
        attribute.parse_nested_meta(|meta| {
            if let Some(named) = kind_of(&meta) {
                kind = Some(named);
                return Ok(());
            }
            part = if meta.path.is_ident("rebuilt") {
                Part::Rebuilt
            } else if meta.path.is_ident("elsewhere") {
                Part::Elsewhere
            } else if meta.path.is_ident("each") {
                Part::Each
            } else {
                return Err(meta.error(
                    "a field is `rebuilt`, saved `elsewhere`, or saved by `each` of its elements; \
                     its numbers are `plain`, a `deadline`, a `record`, a `sequence`, a `goal`, a \
                     `counter` or an `extreme`",
                ));
            };
            Ok(())
        })?;
    }
    let is_saved = matches!(part, Part::Saved | Part::Each);
    let integer = is_saved && mentions(field, &INTEGERS);
    if kind.is_none() && (integer || mentions(field, &QUANTITIES)) {
        kind.clone_from(&options.kind);
    }
    match kind {
        Some(kind) => Ok((part, kind)),
        None if integer && !options.absolute => Err(syn::Error::new_spanned(
            &field.ty,
            "a bare integer needs a kind: `#[checkpoint(plain)]`, or `sequence`, `goal`, `counter` \
             or `extreme`; or the type has no relative form: `#[checkpoint(absolute)]`",
        )),
        None => Ok((part, format_ident!("Unknown"))),
    }
}

/// The `checkpoint` attributes of a type.
pub(crate) struct Options {
    /// Path of the module with the traits.
    pub(crate) checkpoint: Path,
    /// Bounds on the type's parameters, if they are not derived.
    pub(crate) bounds: Option<Punctuated<WherePredicate, Token![,]>>,
    /// Kind of all numbers of the type without their own kind.
    kind: Option<Ident>,
    /// `true` if the type has no relative form.
    absolute: bool,
    /// The field with the flow of the type's positions.
    flow: Option<Ident>,
}

impl Options {
    pub(crate) fn of(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut core: Path = parse_quote!(::fabricsim_base);
        let mut bounds = None;
        let (mut kind, mut absolute, mut flow) = (None, false, None);
        for attribute in attributes
            .iter()
            .filter(|one| one.path().is_ident("checkpoint"))
        {
            attribute.parse_nested_meta(|meta| {
                if let Some(named) = kind_of(&meta) {
                    kind = Some(named);
                } else if meta.path.is_ident("absolute") {
                    absolute = true;
                } else if meta.path.is_ident("flow") {
                    flow = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("crate") {
                    core = meta.value()?.call(Path::parse_mod_style)?;
                } else if meta.path.is_ident("bound") {
                    let content;
                    syn::parenthesized!(content in meta.input);
                    bounds = Some(content.parse_terminated(|input| input.parse(), Token![,])?);
                } else {
                    return Err(
                        meta.error("a type has a `bound(..)`, a kind of number, a `flow`, no relative form (`absolute`), or says where the `crate` is")
                    );
                }
                Ok(())
            })?;
        }
        Ok(Self {
            checkpoint: parse_quote!(#core::checkpoint),
            bounds,
            kind,
            absolute,
            flow,
        })
    }

    /// Returns the statements around those that write a value of the type `name`: they declare the
    /// flow of its positions, or that it has no relative form.
    pub(crate) fn around(&self, name: &Ident, write: &Tokens) -> Tokens {
        let checkpoint = &self.checkpoint;
        let absolute = self.absolute.then(|| {
            let name = name.to_string();
            quote!(__out.absolute(::core::concat!(::core::module_path!(), "::", #name));)
        });
        let (enter, leave) = match &self.flow {
            Some(flow) => (
                Some(quote!(let __flow = __out.enter_flow(self.#flow.0);)),
                Some(quote!(__out.enter_flow(__flow);)),
            ),
            None => (None, None),
        };
        quote! {
            #absolute
            #enter
            let __kind = __out.declare(#checkpoint::Kind::Unknown);
            #write
            __out.declare(__kind);
            #leave
        }
    }
}
