import CairnStack

// Names that were replaced, for one release. CHANGELOG.md lists all of them.

extension ManagedObject {
    /// The old name of ``Seed``.
    @available(*, deprecated, renamed: "Seed")
    public typealias Birth = Seed
}

extension ConflictResolver {
    /// The old name of ``keepStored(_:keepingOtherChanges:)``.
    @available(*, deprecated, renamed: "keepStored(_:keepingOtherChanges:)")
    public func giveWay(
        _ conflict: ConstraintConflict, keepsOthers: Bool = true
    ) throws(GraphError) {
        try keepStored(conflict, keepingOtherChanges: keepsOthers)
    }

    /// The old name of ``mergeIntoStored(_:)``.
    @available(*, deprecated, renamed: "mergeIntoStored(_:)")
    public func unite(_ conflict: ConstraintConflict) throws(GraphError) {
        try mergeIntoStored(conflict)
    }
}
