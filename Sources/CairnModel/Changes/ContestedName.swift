/// A part of the old model that several parts of the new model claim to continue, so it is ambiguous which
/// of them receives its values.
package struct ContestedName: Sendable, Hashable {
    /// The new name of the entity that the properties belong to, or `nil` if the parts are entities.
    package var entity: String?
    /// The name of the part in the old model.
    package var old: String
    /// The sorted names of the parts in the new model that claim the old part, either by a renaming
    /// identifier or because they have its name.
    package var claimants: [String]
}
