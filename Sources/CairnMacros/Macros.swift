import Cairn

/// Makes a class an entity: its properties are attributes and relationships.
///
/// ```swift
/// @Entity final class Author: ManagedObject {
///     @Unique var name: String = ""
///     var born: Date?
///     @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: Members<Book>
/// }
///
/// let model = try ManagedObjectModel(for: Author.self, Book.self)
/// ```
///
/// Each stored property becomes a ``CairnGraph/Managed`` one, whose initial value is the default of the
/// attribute. The class gets an initializer with a value for each property, and what it says of its entity
/// (``CairnGraph/ManagedObject/entitySettings``). Nothing else is generated.
///
/// - Parameters:
///   - isAbstract: whether only subentities have objects.
///   - originalName: the name in the previous version of the model.
///   - hashModifier: a text that changes the version hash.
@attached(member, names: named(entitySettings), named(init))
@attached(memberAttribute)
public macro Entity(
    isAbstract: Bool = false, originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "EntityMacro")

/// Makes a structure the type of attributes of type Composite: its properties are the elements.
///
/// ```swift
/// @Composite struct Address {
///     var street = ""
///     @Attribute(.length(5...5)) var code: String?
/// }
///
/// @Entity final class Author: ManagedObject {
///     var address: Address?
/// }
/// ```
///
/// The structure conforms to ``CairnGraph/CompositeAttribute``. If it is public, it gets an initializer with a value
/// for each property. The initial value of a property is the default
/// of the element in the model.
///
/// - Parameter name: of the composite in the model. `nil` for the name of the structure.
@attached(
    extension, conformances: CompositeAttribute,
    names: named(compositeName), named(elements), named(init))
@attached(member, names: named(init))
public macro Composite(_ name: String? = nil) =
    #externalMacro(module: "CairnMacroPlugin", type: "CompositeMacro")

/// Says more of an attribute than its type does: `@Attribute(.range(0...120), originalName: "years")`.
///
/// - Parameters:
///   - options: what the type does not say.
///   - originalName: the name in the previous version of the model.
///   - hashModifier: a text that changes the version hash.
@attached(peer)
public macro Attribute(
    _ options: AttributeOption..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Says more of a relationship than its type does. The inverse is said by one of the two sides.
///
/// - Parameters:
///   - deleteRule: what becomes of the destinations when the owner is deleted.
///   - inverse: the property that leads back: `\Book.author`.
///   - isOptional: whether no destination is allowed.
///   - counts: the fewest and the most members of a to-many that is not empty.
///   - originalName: the name in the previous version of the model.
///   - hashModifier: a text that changes the version hash.
@attached(peer)
public macro Relationship<Other: ManagedObject, Back: RelationshipProperty>(
    deleteRule: DeleteRule = .nullify, inverse: KeyPath<Other, Back>, isOptional: Bool = true,
    counts: ClosedRange<Int>? = nil, originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Says more of a relationship than its type does, but for its inverse, which the other side says.
///
/// - Parameters:
///   - deleteRule: what becomes of the destinations when the owner is deleted.
///   - isOptional: whether no destination is allowed.
///   - counts: the fewest and the most members of a to-many that is not empty.
///   - originalName: the name in the previous version of the model.
///   - hashModifier: a text that changes the version hash.
@attached(peer)
public macro Relationship(
    deleteRule: DeleteRule = .nullify, isOptional: Bool = true, counts: ClosedRange<Int>? = nil,
    originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Keeps an attribute in memory only: it is not saved.
@attached(peer)
public macro Transient() = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Says that no two objects have the same value.
@attached(peer)
public macro Unique() = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Says that stores keep an index of the attribute.
@attached(peer)
public macro Index() = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Says that no two objects have the same values of several properties, taken together.
///
/// ```swift
/// @Entity final class Author: ManagedObject {
///     #Unique<Author>([\.name, \.born])
///     …
/// ```
///
/// Stands in the class. Each array is a constraint of its own. A path such as `\.address.town` leads to an element of
/// a composite; only SQLite stores enforce such a constraint.
@freestanding(declaration)
public macro Unique<Object: ManagedObject>(_ constraints: PropertyPaths<Object>...) =
    #externalMacro(module: "CairnMacroPlugin", type: "PropertyListMacro")

/// Says that stores keep an index of several properties, the deciding one first.
///
/// Is written as ``Unique(_:)``: `#Index<Author>([\.name, \.born], [\.born])` makes two indexes.
@freestanding(declaration)
public macro Index<Object: ManagedObject>(_ indexes: PropertyPaths<Object>...) =
    #externalMacro(module: "CairnMacroPlugin", type: "PropertyListMacro")

/// Says that stores compute the attribute, by an expression such as `books.@count`.
@attached(peer)
public macro Derived(_ expression: String) =
    #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Gives a stored property the accessors of a ``CairnGraph/Managed`` one. ``Entity(isAbstract:originalName:hashModifier:)``
/// adds it.
@attached(accessor, names: named(get), named(set))
@attached(peer, names: prefixed(_))
public macro EntityProperty() =
    #externalMacro(module: "CairnMacroPlugin", type: "EntityPropertyMacro")
