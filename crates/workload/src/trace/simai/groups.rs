//! The groups of GPUs that take part in the collectives of a workload of SimAI.

use std::sync::Arc;

use fabricsim_base::input::InputError;

use super::file::Sizes;

/// The kinds of groups of GPUs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Group {
    Tensor,
    Data,
    Expert,
    DataOfExperts,
}

/// The groups of GPUs. A group of tensor parallelism consists of neighbors, and the members of a
/// group of data parallelism are one tensor group apart. As many consecutive members of the latter
/// as there are experts form an expert group; members with the same expert form the group for its
/// data.
#[derive(Debug)]
pub(super) struct Groups {
    pub(super) gpus: u32,
    tensor: u32,
    expert: u32,
    /// The members of each group, by kind and number.
    members: [Vec<Arc<[u32]>>; 4],
}

impl Groups {
    pub(super) fn new(gpus: u32, sizes: &Sizes<'_>) -> Result<Self, InputError> {
        let ((tensor, tensor_place), (expert, expert_place)) = (sizes.tensor, sizes.expert);
        if tensor == 0 || gpus < 2 || !gpus.is_multiple_of(tensor) {
            return Err(tensor_place.error(
                format!("{gpus} hosts cannot be divided into groups of {tensor} GPUs"),
                "use a divisor of the number of hosts, or choose `hosts` that are a multiple of it",
            ));
        }
        let copies = gpus / tensor;
        if expert == 0 || !copies.is_multiple_of(expert) {
            return Err(expert_place.error(
                format!("the {copies} groups of {tensor} GPUs cannot be divided by {expert}"),
                "let `ep` be a divisor of the number of hosts over model_parallel_NPU_group",
            ));
        }
        let (tensors, experts) = (0..tensor, 0..expert);
        let rank = |copy: u32, place: u32| copy * tensor + place;
        let group = |members: &mut dyn Iterator<Item = u32>| members.collect::<Arc<[u32]>>();
        let blocks = copies / expert;
        let members = [
            (0..copies)
                .map(|copy| group(&mut tensors.clone().map(|place| rank(copy, place))))
                .collect(),
            (tensors.clone())
                .map(|place| group(&mut (0..copies).map(|copy| rank(copy, place))))
                .collect(),
            (0..blocks)
                .flat_map(|block| tensors.clone().map(move |place| (block, place)))
                .map(|(block, place)| {
                    let copies = experts.clone().map(|own| block * expert + own);
                    group(&mut copies.map(|copy| rank(copy, place)))
                })
                .collect(),
            (experts.clone())
                .flat_map(|own| tensors.clone().map(move |place| (own, place)))
                .map(|(own, place)| {
                    let copies = (0..blocks).map(|block| block * expert + own);
                    group(&mut copies.map(|copy| rank(copy, place)))
                })
                .collect(),
        ];
        Ok(Self {
            gpus,
            tensor,
            expert,
            members,
        })
    }

    /// Returns the members of the groups of `gpu`, in the order of [`Group`].
    pub(super) fn of(&self, gpu: u32) -> [Arc<[u32]>; 4] {
        let (copy, place) = (gpu / self.tensor, gpu % self.tensor);
        let (block, own) = (copy / self.expert, copy % self.expert);
        let numbers = [
            copy,
            place,
            block * self.tensor + place,
            own * self.tensor + place,
        ];
        std::array::from_fn(|kind| Arc::clone(&self.members[kind][numbers[kind] as usize]))
    }
}
