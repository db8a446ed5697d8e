/// What became of one composite between two versions of a model.
public struct CompositeChange: Sendable, Hashable {
    /// The composite in the old model; `nil` if it was added.
    public var old: CompositeDescription?
    /// The composite in the new model; `nil` if it was removed.
    public var new: CompositeDescription?
    /// The elements that were added, removed or changed, by name; empty for a composite that was
    /// added or removed. The declaring entity of each side is the name of the composite.
    public var elements: [PropertyChange]

    /// The name: composites have no renaming identifier.
    public var name: String { (new ?? old)?.name ?? "" }
}
