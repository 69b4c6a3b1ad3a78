//! Collectives and graphs as workloads.

mod bisection;
mod closed_forms;
mod drift;
mod endings;
mod exact;
mod fat_tree;
mod in_network;
mod nccl;
mod published;
mod pxn;
mod reduction_trees;
mod row;
mod runs;
mod small;
mod star;
mod uneven;
mod waits;
