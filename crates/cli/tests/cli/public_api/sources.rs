//! The public items of a crate, found in the sources of the workspace. They are `pub` in public
//! modules, or re-exported from private modules or from crates below.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Attribute, Ident, Item, Meta, UseTree, Visibility};

use crate::support::project;

/// A module or an item: the crate name in paths, and the names below it.
type Place = Vec<String>;

/// The item at the end of a path.
#[derive(Clone, Eq, Ord, PartialEq, PartialOrd)]
enum Target {
    Module(Place),
    Item(Place),
}

/// A path of a `use`, and the name that it imports; `None` for `*`.
type Import = (Vec<String>, Option<String>);

/// The modules of a crate and of all imported crates, without tests.
pub(crate) struct Sources {
    name: String,
    folders: BTreeMap<String, PathBuf>,
    modules: BTreeMap<Place, Vec<Item>>,
}

impl Sources {
    /// Reads the crate `name`.
    pub(crate) fn of(name: &str) -> Self {
        let folders = fs::read_dir(project("crates")).expect("a folder of crates");
        let folders = folders.filter_map(|entry| {
            let folder = entry.expect("a folder").path();
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
            let name = manifest.split("name = \"").nth(1)?.split('"').next()?;
            Some((name.replace('-', "_"), folder.join("src")))
        });
        let mut sources = Self {
            name: name.to_owned(),
            folders: folders.collect(),
            modules: BTreeMap::new(),
        };
        sources.read_crate(name);
        sources
    }

    fn read_crate(&mut self, name: &str) {
        let root = vec![name.to_owned()];
        if !self.modules.contains_key(&root) {
            let folder = self.folders[name].clone();
            self.read_file(root, &folder.join("lib.rs"), &folder);
        }
    }

    /// Reads the module at `place` from `file`. The files of its own modules are in `folder`.
    fn read_file(&mut self, place: Place, file: &Path, folder: &Path) {
        let text = fs::read_to_string(file);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed = syn::parse_file(&text);
        let parsed = parsed.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.add_module(place, parsed.items, folder);
    }

    fn add_module(&mut self, place: Place, mut items: Vec<Item>, folder: &Path) {
        items.retain(|item| !has(attributes(item), "cfg", "test"));
        for item in &mut items {
            if let Item::Mod(module) = item {
                let name = module.ident.to_string();
                let (below, own) = (child(&place, &name), folder.join(&name));
                match module.content.take() {
                    Some((_, items)) => self.add_module(below, items, &own),
                    None => self.read_file(below, &folder.join(format!("{name}.rs")), &own),
                }
            }
        }
        let named = items.iter().flat_map(imports);
        let named: BTreeSet<String> = named
            .filter_map(|(path, _)| path.first().cloned())
            .collect();
        self.modules.insert(place, items);
        for name in named {
            if self.folders.contains_key(&name) {
                self.read_crate(&name);
            }
        }
    }

    /// Returns the public items, each by its shortest path below the crate.
    pub(crate) fn public_items(&self) -> BTreeSet<String> {
        self.items().into_values().collect()
    }

    /// Returns the public items that the crate `name` defines.
    pub(crate) fn public_items_of(&self, name: &str) -> Vec<String> {
        let items = self.items().into_iter();
        let own =
            items.filter(|(target, _)| matches!(target, Target::Item(place) if place[0] == name));
        own.map(|(_, path)| path).collect()
    }

    fn items(&self) -> BTreeMap<Target, String> {
        let mut found = BTreeMap::new();
        let root = vec![self.name.clone()];
        self.add_public(&root, "", &mut BTreeSet::new(), &mut found);
        found
    }

    /// Adds the public items of the module `path` at `place`, unless its documentation is hidden.
    fn add_public(
        &self,
        place: &Place,
        path: &str,
        seen: &mut BTreeSet<(Place, String)>,
        found: &mut BTreeMap<Target, String>,
    ) {
        if !seen.insert((place.clone(), path.to_owned())) {
            return;
        }
        let shown = |item: &&Item| !has(attributes(item), "doc", "hidden");
        for item in self.modules[place].iter().filter(shown) {
            if let Item::Use(one) = item {
                let public = imports(item).into_iter().filter(|_| is_public(&one.vis));
                for (whole, name) in public {
                    let target = self.resolve(place, &whole);
                    let path = path.to_owned() + name.as_deref().unwrap_or_default();
                    match (target, name) {
                        (Target::Module(module), None) => {
                            self.add_public(&module, &path, seen, found)
                        }
                        (Target::Module(module), Some(_)) => {
                            self.add_public(&module, &(path + "::"), seen, found);
                        }
                        (item, _) => add(found, item, path),
                    }
                }
            } else if let Some((name, visibility)) = definition(item)
                && is_public(visibility)
            {
                let (below, path) = (child(place, &name.to_string()), format!("{path}{name}"));
                match item {
                    Item::Mod(_) => self.add_public(&below, &(path + "::"), seen, found),
                    _ => add(found, Target::Item(below), path),
                }
            }
        }
    }

    /// Finds the item that `path` names in the module at `place`. If no module contains it, it is
    /// from a macro or from outside of the workspace.
    fn resolve(&self, place: &Place, path: &[String]) -> Target {
        let mut tried = BTreeSet::new();
        let found = self.find(place, path, &mut tried);
        let found = found.or_else(|| self.find_written(place, path, &mut tried));
        found.unwrap_or_else(|| Target::Item(path.to_vec()))
    }

    fn find_written(
        &self,
        place: &Place,
        path: &[String],
        tried: &mut BTreeSet<(Place, Vec<String>)>,
    ) -> Option<Target> {
        let (name, above) = path.split_last()?;
        match self.find(place, above, tried)? {
            Target::Module(module) => Some(Target::Item(child(&module, name))),
            Target::Item(_) => None,
        }
    }

    fn find(
        &self,
        place: &Place,
        path: &[String],
        tried: &mut BTreeSet<(Place, Vec<String>)>,
    ) -> Option<Target> {
        let Some((first, rest)) = path.split_first() else {
            return Some(Target::Module(place.clone()));
        };
        if !tried.insert((place.clone(), path.to_vec())) {
            return None;
        }
        match first.as_str() {
            "crate" => return self.find(&place[..1].to_vec(), rest, tried),
            "self" => return self.find(place, rest, tried),
            "super" => return self.find(&place[..place.len() - 1].to_vec(), rest, tried),
            _ => {}
        }
        let items = self.modules.get(place)?;
        let defined = |item: &&Item| definition(item).is_some_and(|(name, _)| name == first);
        if let Some(item) = items.iter().find(defined) {
            let below = child(place, first);
            return match item {
                Item::Mod(_) => self.find(&below, rest, tried),
                _ => Some(Target::Item(below)),
            };
        }
        for (whole, name) in items.iter().flat_map(imports) {
            let rest = match name {
                Some(name) if name == *first => rest,
                None => path,
                Some(_) => continue,
            };
            let found = match self.find(place, &whole, tried) {
                Some(Target::Module(module)) => self.find(&module, rest, tried),
                Some(item) => Some(item),
                None => self.find_written(place, &whole, tried),
            };
            if found.is_some() {
                return found;
            }
        }
        let root = vec![first.clone()];
        let is_crate = self.modules.contains_key(&root);
        is_crate.then(|| self.find(&root, rest, tried)).flatten()
    }
}

/// Adds an item, or replaces its path by a better one: a shorter one, or one outside of `prelude`
/// and `cc`.
fn add(found: &mut BTreeMap<Target, String>, item: Target, path: String) {
    let rank = |path: &str| {
        let collected = path.starts_with("prelude::") || path.starts_with("cc::");
        (path.matches("::").count(), collected, path.to_owned())
    };
    let known = found.entry(item).or_insert_with(|| path.clone());
    if rank(&path) < rank(known) {
        *known = path;
    }
}

fn child(place: &Place, name: &str) -> Place {
    [place.as_slice(), &[name.to_owned()]].concat()
}

/// Returns the paths that a `use` imports.
fn imports(item: &Item) -> Vec<Import> {
    let mut found = Vec::new();
    if let Item::Use(item) = item {
        add_imports(&item.tree, &[], &mut found);
    }
    found
}

fn add_imports(tree: &UseTree, above: &[String], found: &mut Vec<Import>) {
    let below = |name: &Ident| match name.to_string().as_str() {
        "self" if !above.is_empty() => above.to_vec(),
        name => child(&above.to_vec(), name),
    };
    match tree {
        UseTree::Path(path) => add_imports(&path.tree, &below(&path.ident), found),
        UseTree::Name(name) => {
            let path = below(&name.ident);
            let name = path.last().cloned();
            found.push((path, name));
        }
        UseTree::Rename(name) => found.push((below(&name.ident), Some(name.rename.to_string()))),
        UseTree::Glob(_) => found.push((above.to_vec(), None)),
        UseTree::Group(group) => {
            for tree in &group.items {
                add_imports(tree, above, found);
            }
        }
    }
}

/// Returns the name that an item defines, and its visibility.
fn definition(item: &Item) -> Option<(&Ident, &Visibility)> {
    match item {
        Item::Const(item) => Some((&item.ident, &item.vis)),
        Item::Enum(item) => Some((&item.ident, &item.vis)),
        Item::Fn(item) => Some((&item.sig.ident, &item.vis)),
        Item::Mod(item) => Some((&item.ident, &item.vis)),
        Item::Static(item) => Some((&item.ident, &item.vis)),
        Item::Struct(item) => Some((&item.ident, &item.vis)),
        Item::Trait(item) => Some((&item.ident, &item.vis)),
        Item::Type(item) => Some((&item.ident, &item.vis)),
        _ => None,
    }
}

const fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Returns the attributes of an item, which may mark it as a test or as hidden.
fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns `true` if one of `attributes` is `#[name(value)]`.
fn has(attributes: &[Attribute], name: &str, value: &str) -> bool {
    attributes.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else {
            return false;
        };
        list.path.is_ident(name) && list.tokens.to_string() == value
    })
}
