/// A part of the old model that several parts of the new one claim to continue, so that nobody can
/// tell which of them gets its values.
public struct ContestedName: Sendable, Hashable {
    /// The entity whose properties are meant, by its new name; `nil` if the parts are entities.
    public var entity: String?
    /// The name of the part in the old model.
    public var old: String
    /// The names of the parts in the new model that claim it, sorted. Claims are made by a renaming
    /// identifier, or by the name itself.
    public var claimants: [String]
}
