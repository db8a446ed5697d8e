import CairnRows

/// A part of a context. It refers to the context without reference counting.
///
/// The context owns its parts and nothing else holds them, so the context outlives them. A strong
/// reference would be a cycle, and a weak one would cost as much as the work that the parts do for each
/// change.
package class ContextPart {
    // Exclusivity checking is disabled: the property is set once, before the part is used.
    @exclusivity(unchecked) private final var owner: Uncounted<ManagedObjectContext>?

    /// The context that owns the part.
    ///
    /// - Precondition: The part is attached.
    final var context: ManagedObjectContext { owner!.object }

    /// Sets the context that owns the part.
    final func attach(to context: ManagedObjectContext) { owner = Uncounted(context) }
}
