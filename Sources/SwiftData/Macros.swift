/// Turns a class into a persistent model. The class's stored variables become attributes and relationships.
///
/// ```swift
/// @Model final class Trip {
///     var name: String
///     var start = Date()
///     @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
///
///     init(name: String) { self.name = name }
/// }
/// ```
///
/// The class has no superclass, or is a subclass of a class with `@Model`. A variable is persistent unless it is
/// computed, static, lazy or marked with ``Transient()``. Its type is `Codable`, a model, an optional model, or an
/// array of models.
///
/// A constant is persistent if its type is `Codable` and the initializers set it. The observers `willSet` and `didSet` are
/// called as those of other variables; one that sets its own variable is not called again.
@attached(
    member, conformances: PersistentModel,
    names: named(_modelBacking), named(persistentBackingData), named(_setBacking),
    named(_modelsAreEqual), named(schemaMetadata), named(init))
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel)
public macro Model() = #externalMacro(module: "CairnMacroPlugin", type: "ModelMacro")

/// Declares settings of an attribute: `@Attribute(.unique, originalName: "title")`.
///
/// - Parameters:
///   - options: Settings that the type does not express.
///   - originalName: The name in the previous version of the schema.
///   - hashModifier: A text that changes the version hash.
@attached(peer)
public macro Attribute(
    _ options: Schema.Attribute.Option..., originalName: String? = nil,
    hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "ModelMarkerMacro")

/// Declares settings of a relationship. Only one of the two sides names the inverse, and neither has to if the two
/// are the only relationships between their classes.
///
/// - Parameters:
///   - deleteRule: What happens to the destinations when the owner is deleted.
///   - minimumModelCount: The smallest number of members of a to-many. 0 and `nil` mean no minimum.
///   - maximumModelCount: The largest number of members of a to-many. 0 and `nil` mean no maximum.
///   - originalName: The name in the previous version of the schema.
///   - inverse: The key path of the inverse relationship, such as `\Stop.trip`.
///   - hashModifier: A text that changes the version hash.
@attached(peer)
public macro Relationship(
    deleteRule: Schema.Relationship.DeleteRule = .nullify, minimumModelCount: Int? = 0,
    maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
    hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "ModelMarkerMacro")

/// Declares that a variable is not saved. It exists as long as the model's instance, and needs an initial value.
@attached(peer)
public macro Transient() = #externalMacro(module: "CairnMacroPlugin", type: "ModelMarkerMacro")

/// Declares that no two models have the same combination of values. Saving a new model that repeats one updates the
/// stored model instead.
///
/// Write the macro inside the class: `#Unique<Trip>([\.name, \.start])`. Each array is a separate constraint.
@freestanding(declaration)
public macro Unique<Model: PersistentModel>(_ constraints: [PartialKeyPath<Model>]...) =
    #externalMacro(module: "CairnMacroPlugin", type: "ModelMarkerMacro")

/// Declares that stores index properties. Write the macro inside the class: `#Index<Trip>([\.start], [\.name])`.
/// Each array is a separate index, whose most significant property comes first.
@freestanding(declaration)
public macro Index<Model: PersistentModel>(_ indices: [PartialKeyPath<Model>]...) =
    #externalMacro(module: "CairnMacroPlugin", type: "ModelMarkerMacro")

/// Turns an actor into a ``SwiftData/ModelActor``: the actor gets a context that only it uses, and
/// `init(modelContainer:)`.
///
/// - Parameter disableGenerateInit: Whether the actor has an initializer of its own, which sets `modelExecutor` and
///   `modelContainer`. A literal.
@attached(
    member, conformances: ModelActor, names: named(modelExecutor), named(modelContainer),
    named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor(disableGenerateInit: Bool = false) =
    #externalMacro(module: "CairnMacroPlugin", type: "ModelActorMacro")

/// Adds accessors to a variable of a model. ``Model()`` attaches this macro; do not attach it yourself.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_$))
public macro _PersistedProperty() =
    #externalMacro(module: "CairnMacroPlugin", type: "PersistedPropertyMacro")
