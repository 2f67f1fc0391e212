//! Finds the items that a source file defines and re-exports, and the paths of its own crate that
//! the file uses, those in the bodies of its macros included.

use std::collections::{BTreeMap, BTreeSet};

use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, Item, Token, UseTree, Visibility};

/// Path of a module in its crate, such as `["reader", "entry"]`; empty for the root.
pub(super) type Module = Vec<String>;

/// Definitions and uses of a file. Paths are absolute within the crate, without `crate`.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// All paths of the crate that the file uses.
    pub(super) paths: BTreeSet<Vec<String>>,
    /// Names of the items that the file defines.
    pub(super) defined: BTreeSet<String>,
    /// Re-exported names, each with the original path.
    pub(super) reexported: BTreeMap<String, Vec<String>>,
    /// Modules that the file re-exports with a glob.
    pub(super) globs: Vec<Vec<String>>,
}

/// The definitions and uses in the text of a file, without tests.
pub(super) fn uses_of(text: &str, module: &Module) -> syn::Result<Uses> {
    let file = syn::parse_file(text)?;
    let mut visitor = Visitor {
        uses: Uses::default(),
        module: module.clone(),
        imported: BTreeMap::new(),
    };
    for item in &file.items {
        visitor.uses.defined.extend(name_of(item));
        if let Item::Use(item) = item {
            visitor.import(item);
        }
    }
    visitor.visit_file(&file);
    Ok(visitor.uses)
}

struct Visitor {
    uses: Uses,
    /// The module being visited: the module of the file, or a module inside the file.
    module: Module,
    /// Names that the file imports, each with its path.
    imported: BTreeMap<String, Vec<String>>,
}

impl Visit<'_> for Visitor {
    fn visit_item(&mut self, item: &Item) {
        if !attributes_of(item).iter().any(is_for_tests) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &syn::ItemMod) {
        if item.content.is_some() {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        let mut leaves = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut leaves);
        let is_public = !matches!(item.vis, Visibility::Inherited);
        for (path, name) in leaves {
            let Some(path) = self.absolute(&path, true) else {
                continue;
            };
            match name {
                Some(name) if is_public => drop(self.uses.reexported.insert(name, path.clone())),
                None if is_public => self.uses.globs.push(path.clone()),
                _ => {}
            }
            self.uses.paths.insert(path);
        }
    }

    /// Reads the paths that begin with `$crate` in the body of `macro_rules!`.
    fn visit_item_macro(&mut self, item: &syn::ItemMacro) {
        let mut leaves = Vec::new();
        let body = |input: ParseStream| paths_of_the_crate(input, &mut leaves);
        if body.parse2(item.mac.tokens.clone()).is_ok() {
            let paths = leaves
                .iter()
                .filter_map(|(path, _)| self.absolute(path, true));
            self.uses.paths.extend(paths.collect::<Vec<_>>());
        }
        visit::visit_item_macro(self, item);
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let segments = path.segments.iter();
        let segments: Vec<String> = segments.map(|s| s.ident.to_string()).collect();
        self.uses.paths.extend(self.absolute(&segments, false));
        visit::visit_path(self, path);
    }

    /// Reads the arguments of macros such as `vec!`, which are expressions.
    fn visit_macro(&mut self, call: &syn::Macro) {
        let arguments = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        for argument in call.parse_body_with(arguments).into_iter().flatten() {
            self.visit_expr(&argument);
        }
        visit::visit_macro(self, call);
    }
}

impl Visitor {
    fn import(&mut self, item: &syn::ItemUse) {
        let mut leaves = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut leaves);
        for (path, name) in leaves {
            let path = self.absolute(&path, true);
            self.imported.extend(name.zip(path));
        }
    }

    /// The absolute path; `None` for a path into another crate or a path that begins with a name
    /// that this file defines.
    fn absolute(&self, path: &[String], in_use: bool) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([&self.module, rest].concat()),
            "super" => {
                let mut module = self.module.clone();
                let ups = path.iter().take_while(|part| *part == "super").count();
                module.truncate(module.len().checked_sub(ups)?);
                Some([&module, &path[ups..]].concat())
            }
            // `pub use child::Thing`: `child` is a child module or another crate; a path into
            // another crate matches no module and is ignored later.
            _ if in_use => Some([&self.module, path].concat()),
            name => Some([self.imported.get(name)?, rest].concat()),
        }
    }
}

/// A path, with the name that it has in the file; `None` for a glob.
type Leaf = (Vec<String>, Option<String>);

/// Adds the paths after `$` in the tokens of a macro to `leaves`: `$crate::keys::row::Key`.
fn paths_of_the_crate(input: ParseStream, leaves: &mut Vec<Leaf>) -> syn::Result<()> {
    while !input.is_empty() {
        if input.peek(Token![$]) && input.peek2(Token![crate]) {
            input.parse::<Token![$]>()?;
            one_path_of_the_crate(input, leaves)?;
            continue;
        }
        if let Some((inside, ..)) = input.cursor().any_group() {
            let inner = |input: ParseStream| paths_of_the_crate(input, leaves);
            inner.parse2(inside.token_stream())?;
        }
        input.step(|cursor| {
            let (_, rest) = cursor
                .token_tree()
                .ok_or_else(|| cursor.error("no token"))?;
            Ok(((), rest))
        })?;
    }
    Ok(())
}

/// Adds a path up to what is no name, or all paths of a `use` with braces.
fn one_path_of_the_crate(input: ParseStream, leaves: &mut Vec<Leaf>) -> syn::Result<()> {
    let mut path = vec![input.call(Ident::parse_any)?.to_string()];
    while input.peek(Token![::]) {
        input.parse::<Token![::]>()?;
        if input.peek(Ident::peek_any) {
            path.push(input.call(Ident::parse_any)?.to_string());
        } else if let Ok(tree) = input.fork().parse::<UseTree>() {
            flatten(&tree, &mut path, leaves);
            return Ok(());
        }
    }
    leaves.push((path, None));
    Ok(())
}

/// Adds the paths of a `use` tree to `leaves`.
fn flatten(tree: &UseTree, before: &mut Vec<String>, leaves: &mut Vec<Leaf>) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flatten(&path.tree, before, leaves);
            before.pop();
        }
        UseTree::Group(group) => {
            for item in &group.items {
                flatten(item, before, leaves);
            }
        }
        UseTree::Glob(_) => leaves.push((before.clone(), None)),
        UseTree::Name(name) => leaves.push(leaf(before, &name.ident, &name.ident)),
        UseTree::Rename(rename) => leaves.push(leaf(before, &rename.ident, &rename.rename)),
    }
}

fn leaf(before: &[String], last: &Ident, name: &Ident) -> Leaf {
    let mut path = before.to_vec();
    // `use super::thing::{self}` names the module itself.
    if last != "self" {
        path.push(last.to_string());
        return (path, Some(name.to_string()));
    }
    let name = path.last().cloned();
    (path, name)
}

fn is_for_tests(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute
            .parse_args::<Ident>()
            .is_ok_and(|condition| condition == "test")
}

fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Mod(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        _ => return None,
    };
    Some(name.to_string())
}
