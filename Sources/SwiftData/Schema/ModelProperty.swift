internal import CairnModel
internal import CairnObjects
internal import CairnQueries
internal import Foundation

/// A persistent property of a model's class.
final class ModelProperty {
    enum Kind {
        case attribute(AttributeForm)
        case toOne(any PersistentModel.Type, isOptional: Bool)
        case toMany(any PersistentModel.Type, isOptional: Bool)
    }

    let name: String
    /// The name as generated code has it.
    let key: StaticString
    let path: AnyKeyPath
    /// The offset of the property's mark in a model. `nil` for a constant.
    @exclusivity(unchecked) var mark: _Property.Mark?
    let kind: Kind
    /// The initial value of the variable, as it was when the schema was created. `nil` if it has none.
    let defaultValue: Any?
    let attribute: Schema.Attribute?
    let relationship: Schema.Relationship?
    /// Returns the value in a model, if the property is declared with `let`. `nil` for a variable.
    let constant: ((any PersistentModel) -> Any?)?
    /// Notifies the observers of the property in a model that it has changed.
    let notify: (any PersistentModel) -> Void

    init<Model: PersistentModel, Value>(
        _ key: StaticString, _ path: KeyPath<Model, Value>, _ kind: Kind,
        _ defaultValue: Value? = nil,
        attribute: Schema.Attribute? = nil, relationship: Schema.Relationship? = nil,
        isConstant: Bool = false
    ) {
        name = "\(key)"
        self.key = key
        self.path = path
        self.kind = kind
        self.defaultValue = defaultValue
        self.attribute = attribute
        self.relationship = relationship
        constant = isConstant ? { ($0 as? Model)?[keyPath: path] } : nil
        notify = { model in
            guard let model = model as? Model else { return }
            model.persistentBackingData.registrar?.withMutation(of: model, keyPath: path) {}
        }
    }

    /// The identity of the property, which is the same in all key paths that lead to it. `nil` if the key path has
    /// another form than those of generated properties.
    var identifier: UInt? { PropertySteps(path)?.identifiers.first }

    /// Returns the property as a part of an entity's description.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - inverse: The name of the inverse of a relationship.
    func description(in entity: String, inverse: String?) -> PropertyDescription {
        switch kind {
        case .attribute(let form): .attribute(attributeDescription(form, in: entity))
        case .toOne(let type, let isOptional):
            .relationship(
                relationshipDescription(
                    .toOne(
                        name, ModelEntity.name(of: type), inverse: inverse, isOptional: isOptional))
            )
        case .toMany(let type, let isOptional):
            .relationship(
                relationshipDescription(
                    .toMany(
                        name, ModelEntity.name(of: type), inverse: inverse, isOptional: isOptional))
            )
        }
    }

    /// Returns the composites of an attribute of the entity that has elements.
    func composites(in entity: String) -> [CompositeDescription] {
        guard case .attribute(let form) = kind else { return [] }
        return form.composite?.descriptions(named: "\(entity).\(name)") ?? []
    }

    private func attributeDescription(
        _ form: AttributeForm, in entity: String
    ) -> AttributeDescription {
        var description = AttributeDescription(name, form.type, isOptional: form.isOptional)
        // A store of Apple's has no name for the composite, which then gets this one.
        if form.composite != nil { description.compositeName = "\(entity).\(name)" }
        description.defaultValue = defaultValue.flatMap { try? form.stored($0) } ?? .null
        description.renamingIdentifier = attribute?.originalName
        description.versionHashModifier = attribute?.hashModifier
        for option in attribute?.options ?? [] {
            switch option {
            case .unique: break
            case .externalStorage:
                description.allowsExternalBinaryDataStorage = form.type == .binary
            case .allowsCloudEncryption: description.allowsCloudEncryption = true
            case .preserveValueOnDeletion: description.preservesValueInHistoryOnDeletion = true
            case .ephemeral: description.isTransient = true
            case .spotlight: description.isIndexedBySpotlight = true
            }
        }
        return description
    }

    private func relationshipDescription(
        _ base: RelationshipDescription
    ) -> RelationshipDescription {
        var description = base
        description.renamingIdentifier = relationship?.originalName
        description.versionHashModifier = relationship?.hashModifier
        if base.isToMany, let counts = relationship?.counts {
            (description.minimumCount, description.maximumCount) = counts
        }
        description.deleteRule =
            switch relationship?.deleteRule ?? .nullify {
            case .noAction: .noAction
            case .nullify: .nullify
            case .cascade: .cascade
            case .deny: .deny
            }
        return description
    }
}
