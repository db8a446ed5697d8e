/// An entity of which store and model have different versions.
public struct ModelDifference: Sendable, Hashable {
    /// The name of the entity.
    public var entity: String
    /// The hash in the store. `nil` if the store does not know the entity.
    public var stored: VersionHash?
    /// The hash in the model. `nil` if the model does not have the entity.
    public var model: VersionHash?

    /// Records how an entity differs.
    public init(entity: String, stored: VersionHash?, model: VersionHash?) {
        self.entity = entity
        self.stored = stored
        self.model = model
    }
}

extension ModelDifference: CustomStringConvertible {
    /// The entity with both hashes.
    public var description: String {
        switch (stored, model) {
        case (let stored?, let model?):
            "\(entity): the store has version \(stored), the model \(model)"
        case (let stored?, nil): "\(entity): only the store has it, version \(stored)"
        case (nil, let model?): "\(entity): only the model has it, version \(model)"
        case (nil, nil): "\(entity): neither has it"
        }
    }
}
