import CairnStore

/// A part of a context, which reaches the context without counting a reference.
///
/// The context owns its parts, and nobody else holds them, so it outlives them. A counted reference would
/// be a cycle; a checked one would cost as much as what the parts do for each change.
class ContextPart {
    // Exclusivity is unchecked: it is set once, before the part is used.
    @exclusivity(unchecked) private final var owner: Uncounted<ManagedObjectContext>?

    /// The context.
    ///
    /// - Precondition: the part is attached.
    final var context: ManagedObjectContext { owner!.object }

    /// Tells the part which context owns it.
    final func attach(to context: ManagedObjectContext) { owner = Uncounted(context) }
}
