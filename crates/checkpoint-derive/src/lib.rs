//! Derives the two traits of `fabricsim_base::checkpoint`.
//!
//! Every field of a type is part of a checkpoint unless an attribute excludes it. So you cannot
//! forget a new field: if its type does not implement the trait, the derive does not compile.

mod fields;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Data, DeriveInput, Generics, parse_macro_input, parse_quote};

use fields::{Options, Shape};

/// Derives `Stored` for a struct or enum: a checkpoint contains the whole value, and loading builds
/// a new value from it. All type parameters must also be `Stored`.
#[proc_macro_derive(Stored, attributes(checkpoint))]
pub fn stored(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(stored_impl(&input))
}

/// Derives `Checkpointed` for a struct or enum: a checkpoint contains only the value's state.
/// Loading restores the state into a value that was built from the same configuration.
///
/// A field is saved as `Checkpointed`, unless it has one of these attributes:
///
/// * `#[checkpoint(rebuilt)]` skips a field that never changes after the value is built, such as
///   configuration or values derived from it. Its type must be `Debug`. An audit
///   (`Writer::auditing`) compares the field before and after, to find a field that does change.
/// * `#[checkpoint(elsewhere)]` skips a field that the code that owns the value handles: another
///   part saves it, `load` recomputes it, or no result depends on it.
/// * `#[checkpoint(each)]` saves the elements of a collection in place, one by one. The number of
///   elements must follow from the configuration.
///
/// All type parameters must be `Checkpointed`, unless `#[checkpoint(bound(..))]` on the type gives
/// other bounds. If your program imports the traits by another path, name it:
/// `#[checkpoint(crate = fabricsim)]`.
#[proc_macro_derive(Checkpointed, attributes(checkpoint))]
pub fn checkpointed(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(checkpointed_impl(&input))
}

fn expand(tokens: syn::Result<Tokens>) -> TokenStream {
    tokens.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Returns `generics` with `bound` added to each type parameter.
fn bounded(generics: &Generics, bound: &syn::Path) -> Generics {
    let mut generics = generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#bound));
    }
    generics
}

/// Returns the shape of each variant of `input`. A struct counts as a single variant.
fn shapes(input: &DeriveInput, options: &Options) -> syn::Result<Vec<Shape>> {
    match &input.data {
        Data::Struct(data) => Ok(vec![Shape::new(quote!(Self), &data.fields, options)?]),
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|variant| {
                let name = &variant.ident;
                Shape::new(quote!(Self::#name), &variant.fields, options)
            })
            .collect(),
        Data::Union(_) => Err(syn::Error::new_spanned(
            &input.ident,
            "a union does not say which of its fields it holds",
        )),
    }
}

fn stored_impl(input: &DeriveInput) -> syn::Result<Tokens> {
    let options = Options::of(&input.attrs)?;
    let checkpoint = &options.checkpoint;
    let shapes = shapes(input, &options)?;
    let name = &input.ident;
    let generics = bounded(&input.generics, &parse_quote!(#checkpoint::Stored));
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let is_enum = matches!(input.data, Data::Enum(_));
    // An enum stores the index of its variant before the fields, so that loading can rebuild it.
    let store = shapes.iter().enumerate().map(|(index, shape)| {
        let (pattern, stored) = (shape.pattern(), shape.stored(checkpoint));
        let number = is_enum.then(|| quote!(__out.number(#index);));
        quote!(#pattern => {
            #number
            #(#stored)*
        })
    });
    let store = options.around(name, &quote!(match self { #(#store)* }));
    let fetch = shapes.iter().enumerate().map(|(index, shape)| {
        let made = shape.made(checkpoint);
        (index, quote!(Ok(#made)))
    });
    let fetch = if is_enum {
        let arms = fetch.map(|(index, made)| quote!(#index => #made,));
        let text = format!("there is no such kind of {name}");
        quote!(match __input.number()? {
            #(#arms)*
            _ => Err(#checkpoint::LoadError::new(#text)),
        })
    } else {
        let mut made = fetch.map(|(_, made)| made);
        made.next().unwrap_or_default()
    };
    Ok(quote! {
        #[automatically_derived]
        impl #parameters #checkpoint::Stored for #name #arguments #conditions {
            #[allow(unused_variables)]
            fn store(&self, __out: &mut #checkpoint::Writer) {
                #store
            }

            #[allow(unused_variables)]
            fn fetch(
                __input: &mut #checkpoint::Reader<'_>,
            ) -> ::core::result::Result<Self, #checkpoint::LoadError> {
                #fetch
            }
        }
    })
}

fn checkpointed_impl(input: &DeriveInput) -> syn::Result<Tokens> {
    let options = Options::of(&input.attrs)?;
    let checkpoint = &options.checkpoint;
    let shapes = shapes(input, &options)?;
    let name = &input.ident;
    // Explicit bounds replace the derived ones, for parameters that are not part of the state.
    let generics = match &options.bounds {
        Some(predicates) => {
            let mut generics = input.generics.clone();
            let clause = generics.make_where_clause();
            clause.predicates.extend(predicates.clone());
            generics
        }
        None => bounded(&input.generics, &parse_quote!(#checkpoint::Checkpointed)),
    };
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let is_enum = matches!(input.data, Data::Enum(_));
    let save = shapes.iter().enumerate().map(|(index, shape)| {
        let (pattern, saved) = (shape.pattern(), shape.saved(checkpoint, name));
        let number = is_enum.then(|| quote!(__out.number(#index);));
        quote!(#pattern => { #number #(#saved)* })
    });
    let save = options.around(name, &quote!(match self { #(#save)* }));
    // Loading keeps the variant of the built value, so a different variant is an error.
    let load = shapes.iter().enumerate().map(|(index, shape)| {
        let (pattern, loaded) = (shape.pattern(), shape.loaded(checkpoint));
        let number = is_enum.then(|| {
            let text = format!("it holds another kind of {name}");
            quote!(if __input.number()? != #index {
                return Err(#checkpoint::LoadError::new(#text));
            })
        });
        quote!(#pattern => { #number #(#loaded)* })
    });
    Ok(quote! {
        #[automatically_derived]
        impl #parameters #checkpoint::Checkpointed for #name #arguments #conditions {
            #[allow(unused_variables)]
            fn save(&self, __out: &mut #checkpoint::Writer) {
                #save
            }

            #[allow(unused_variables)]
            fn load(
                &mut self,
                __input: &mut #checkpoint::Reader<'_>,
            ) -> ::core::result::Result<(), #checkpoint::LoadError> {
                match self { #(#load)* }
                Ok(())
            }
        }
    })
}
