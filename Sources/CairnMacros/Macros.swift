import Cairn

/// Makes a class an entity. The stored properties of the class become attributes and relationships.
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
/// Each stored property becomes a ``CairnGraph/Managed`` property. Its initial value becomes the default of
/// the attribute. The macro also generates an initializer with a parameter for each property, and the
/// settings of the entity (``CairnGraph/ManagedObject/entitySettings``). It generates nothing else.
///
/// - Parameters:
///   - isAbstract: whether the entity is abstract: only its subentities have objects.
///   - originalName: the name in the previous version of the model.
///   - hashModifier: a text that changes the version hash.
@attached(member, names: named(entitySettings), named(init))
@attached(memberAttribute)
public macro Entity(
    isAbstract: Bool = false, originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "EntityMacro")

/// Makes a structure a type of composite attributes. The properties of the structure become the elements of
/// the composite.
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
/// The structure conforms to ``CairnGraph/CompositeAttribute``. If it is public, the macro also generates an
/// initializer with a parameter for each property. The initial value of a property becomes the default of the
/// element in the model.
///
/// - Parameter name: the name of the composite in the model. `nil` means the name of the structure.
@attached(
    extension, conformances: CompositeAttribute,
    names: named(compositeName), named(elements), named(init))
@attached(member, names: named(init))
public macro Composite(_ name: String? = nil) =
    #externalMacro(module: "CairnMacroPlugin", type: "CompositeMacro")

/// Declares options of an attribute that its type does not determine: `@Attribute(.range(0...120),
/// originalName: "years")`.
///
/// - Parameters:
///   - options: the options that the Swift type does not determine.
///   - originalName: the name in the previous version of the model.
///   - hashModifier: a text that changes the version hash.
@attached(peer)
public macro Attribute(
    _ options: AttributeOption..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Declares options of a relationship that its type does not determine, including the inverse. Only one of
/// two inverse relationships declares the inverse.
///
/// - Parameters:
///   - deleteRule: what happens to the destinations when the owner is deleted.
///   - inverse: the inverse relationship, such as `\Book.author`.
///   - isOptional: whether the relationship may have no destination.
///   - counts: the minimum and the maximum number of members of a to-many relationship that is not empty.
///   - originalName: the name in the previous version of the model.
///   - hashModifier: a text that changes the version hash.
@attached(peer)
public macro Relationship<Other: ManagedObject, Back: RelationshipProperty>(
    deleteRule: DeleteRule = .nullify, inverse: KeyPath<Other, Back>, isOptional: Bool = true,
    counts: ClosedRange<Int>? = nil, originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Declares options of a relationship whose inverse is declared by the other side.
///
/// - Parameters:
///   - deleteRule: what happens to the destinations when the owner is deleted.
///   - isOptional: whether the relationship may have no destination.
///   - counts: the minimum and the maximum number of members of a to-many relationship that is not empty.
///   - originalName: the name in the previous version of the model.
///   - hashModifier: a text that changes the version hash.
@attached(peer)
public macro Relationship(
    deleteRule: DeleteRule = .nullify, isOptional: Bool = true, counts: ClosedRange<Int>? = nil,
    originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Makes an attribute transient: its value is kept in memory and not saved.
@attached(peer)
public macro Transient() = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Declares that no two objects may have the same value of the attribute.
@attached(peer)
public macro Unique() = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Declares an index of the attribute in stores.
@attached(peer)
public macro Index() = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Declares that no two objects may have the same values for all of several properties.
///
/// ```swift
/// @Entity final class Author: ManagedObject {
///     #Unique<Author>([\.name, \.born])
///     …
/// ```
///
/// Write the macro inside the class. Each array is a separate constraint. A path such as `\.address.town`
/// leads to an element of a composite. Only SQLite stores enforce a constraint with such a path.
@freestanding(declaration)
public macro Unique<Object: ManagedObject>(_ constraints: PropertyPaths<Object>...) =
    #externalMacro(module: "CairnMacroPlugin", type: "PropertyListMacro")

/// Declares an index of several properties in stores. The index is sorted by the first property, then by the
/// second, and so on.
///
/// Use it like ``Unique(_:)``: `#Index<Author>([\.name, \.born], [\.born])` declares two indexes.
@freestanding(declaration)
public macro Index<Object: ManagedObject>(_ indexes: PropertyPaths<Object>...) =
    #externalMacro(module: "CairnMacroPlugin", type: "PropertyListMacro")

/// Declares that stores compute the attribute with an expression such as `books.@count`.
@attached(peer)
public macro Derived(_ expression: String) =
    #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Adds the accessors of a ``CairnGraph/Managed`` property to a stored property.
/// ``Entity(isAbstract:originalName:hashModifier:)`` adds it.
@attached(accessor, names: named(get), named(set))
@attached(peer, names: prefixed(_))
public macro EntityProperty() =
    #externalMacro(module: "CairnMacroPlugin", type: "EntityPropertyMacro")
