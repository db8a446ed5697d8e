/// An entity of which store and model have different versions.
public struct ModelDifference: Sendable, Hashable {
    /// The name of the entity.
    public var entity: String
    /// The hash in the store. `nil` if the store does not know the entity.
    public var stored: VersionHash?
    /// The hash in the model. `nil` if the model does not have the entity.
    public var model: VersionHash?

    /// What changed from the store's entity to the model's, in words, such as
    /// `Book: attribute isbn was added`. `nil` if the store contains no model to compare with. Both
    /// names of a renamed entity have the same text.
    public var changes: String?
    /// Whether the store seems to be newer than the model: the model inside the store calls something
    /// of this model its predecessor, or has all of this model and more. False if the store contains
    /// no model.
    public var storeSeemsNewer = false

    /// Records how an entity differs.
    public init(
        entity: String, stored: VersionHash?, model: VersionHash?, changes: String? = nil,
        storeSeemsNewer: Bool = false
    ) {
        self.entity = entity
        self.stored = stored
        self.model = model
        self.changes = changes
        self.storeSeemsNewer = storeSeemsNewer
    }

    /// Returns the differences with what changed from the model inside the store to this one.
    public static func explaining(
        _ differences: [ModelDifference], from stored: ManagedObjectModel,
        to model: ManagedObjectModel
    ) -> [ModelDifference] {
        let changes = ModelChanges(from: stored, to: model)
        let isNewer = ModelChanges(from: model, to: stored).looksLikeProgress
        return differences.map { difference in
            var difference = difference
            difference.changes = changes.text(ofEntity: difference.entity)
            difference.storeSeemsNewer = isNewer
            return difference
        }
    }
}

extension ModelDifference: CustomStringConvertible {
    /// What changed in words; if that is not known, the entity with both hashes.
    public var description: String {
        if let changes { return changes }
        return switch (stored, model) {
        case (let stored?, let model?):
            "\(entity): the store has version \(stored), the model \(model)"
        case (let stored?, nil): "\(entity): only the store has it, version \(stored)"
        case (nil, let model?): "\(entity): only the model has it, version \(model)"
        case (nil, nil): "\(entity): neither has it"
        }
    }
}
