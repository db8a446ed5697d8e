/// An entity whose versions in a store and in a model differ.
public struct ModelDifference: Sendable, Hashable {
    /// The name of the entity in the store, in the model, or in both. A renamed entity causes two
    /// differences, one for each name.
    public var entity: String
    /// The hash in the store, or `nil` if the store does not contain the entity.
    public var stored: VersionHash?
    /// The hash in the model, or `nil` if the model does not contain the entity.
    public var model: VersionHash?

    /// The changes from the store's entity to the model's entity in words, such as
    /// `Book: attribute isbn was added`. The text is the same for the old and the new name of a renamed
    /// entity. `nil` if the store contains no model to compare with.
    package var changes: String?
    /// Whether the store seems to be newer than the model. It does if a renaming identifier in the store's
    /// model refers to a name in this model, or if the store's model adds parts to this model and removes
    /// none. `false` if the store contains no model.
    public var storeSeemsNewer = false

    /// Creates a difference. The two hashes are not compared.
    package init(
        entity: String, stored: VersionHash?, model: VersionHash?, changes: String? = nil,
        storeSeemsNewer: Bool = false
    ) {
        self.entity = entity
        self.stored = stored
        self.model = model
        self.changes = changes
        self.storeSeemsNewer = storeSeemsNewer
    }

    /// Returns the differences with descriptions of the changes from the model inside the store to this
    /// model.
    package static func explaining(
        _ differences: [ModelDifference], from stored: ManagedObjectModel,
        to model: ManagedObjectModel
    ) -> [ModelDifference] {
        let changes = ModelChanges(from: stored, to: model)
        let isNewer = ModelChanges(from: model, to: stored).isProbablyUpgrade
        return differences.map { difference in
            var difference = difference
            difference.changes = changes.text(ofEntity: difference.entity)
            difference.storeSeemsNewer = isNewer
            return difference
        }
    }
}

extension ModelDifference: CustomStringConvertible {
    /// The changes in words. If they are not known, the name of the entity and both hashes.
    public var description: String {
        if let changes { return changes }
        return switch (stored, model) {
        case (let stored?, let model?):
            "\(entity): its definition in the store differs from its definition in the model"
                + " (version hashes \(Self.short(stored)) and \(Self.short(model)))"
        case (let stored?, nil):
            "\(entity): the store contains this entity (version hash \(Self.short(stored))), but the"
                + " model does not"
        case (nil, let model?):
            "\(entity): the model contains this entity (version hash \(Self.short(model))), but the"
                + " store does not"
        case (nil, nil): "\(entity): neither the store nor the model contains this entity"
        }
    }

    /// The beginning of a hash. Eight digits are enough to compare hashes by eye.
    private static func short(_ hash: VersionHash) -> String {
        "\(hash.description.prefix(8))…"
    }
}
