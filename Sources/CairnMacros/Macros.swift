import Cairn

/// Turns a class into an entity. The class's stored properties become attributes and relationships.
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
/// Each stored property becomes a ``CairnObjects/Managed`` property. An initial value that is a literal becomes
/// the default of the attribute in the model. Any other initial value, such as `UUID()`, `Date.now` or `.draft`,
/// is evaluated for each new object, before `awakeFromInsert()`, and is no default of the model. The macro also adds an initializer with a parameter for each property, and the settings of
/// the entity (``CairnObjects/ManagedObject/entitySettings``). It generates nothing else.
///
/// - Parameters:
///   - isAbstract: Whether only subentities have objects.
///   - configuration: The configuration that has the entity, in addition to the default one. A store opened with
///     the configuration holds the objects of its entities.
///   - originalName: The name in the previous version of the model.
///   - hashModifier: A text that changes the version hash.
@attached(member, names: named(entitySettings), named(init))
@attached(memberAttribute)
public macro Entity(
    isAbstract: Bool = false, configuration: String? = nil, originalName: String? = nil,
    hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "EntityMacro")

/// Turns a structure into the type of Composite attributes. The structure's properties become the elements.
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
/// The structure conforms to ``CairnObjects/CompositeAttribute``. If the structure is public, the macro adds an
/// initializer with a parameter for each property. An initial value that is a literal becomes the default of
/// the element in the model.
///
/// - Parameter name: The name of the composite in the model. `nil` means the name of the structure.
@attached(
    extension, conformances: CompositeAttribute,
    names: named(compositeName), named(elements), named(init))
@attached(member, names: named(init))
public macro Composite(_ name: String? = nil) =
    #externalMacro(module: "CairnMacroPlugin", type: "CompositeMacro")

/// Declares settings of an attribute that its type does not express: `@Attribute(.range(0...120),
/// originalName: "years")`.
///
/// - Parameters:
///   - options: Settings that the type does not express.
///   - default: The default in the model, which a migration gives to existing objects. Needed only if the
///     initial value is not a literal, such as an enumeration case.
///   - originalName: The name in the previous version of the model.
///   - hashModifier: A text that changes the version hash.
@attached(peer)
public macro Attribute(
    _ options: AttributeOption..., default: (any AttributeValue)? = nil,
    originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Declares settings of a relationship, including its inverse. Only one of the two sides needs to name the
/// inverse, and neither if the two are the only relationships between their classes.
///
/// - Parameters:
///   - deleteRule: What happens to the destinations when the owner is deleted.
///   - inverse: The inverse relationship, for example `\Book.author`.
///   - isOptional: Whether the relationship may have no destination.
///   - counts: The smallest and largest numbers of members of a to-many that is not empty.
///   - originalName: The name in the previous version of the model.
///   - hashModifier: A text that changes the version hash.
@attached(peer)
public macro Relationship<Other: ManagedObject, Back: RelationshipProperty>(
    deleteRule: DeleteRule = .nullify, inverse: KeyPath<Other, Back>, isOptional: Bool = true,
    counts: ClosedRange<Int>? = nil, originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Declares settings of a relationship whose inverse is inferred, or named by the other side.
///
/// - Parameters:
///   - deleteRule: What happens to the destinations when the owner is deleted.
///   - hasInverse: Whether another relationship may be the inverse. A literal.
///   - isOptional: Whether the relationship may have no destination.
///   - counts: The smallest and largest numbers of members of a to-many that is not empty.
///   - originalName: The name in the previous version of the model.
///   - hashModifier: A text that changes the version hash.
@attached(peer)
public macro Relationship(
    deleteRule: DeleteRule = .nullify, hasInverse: Bool = true,
    isOptional: Bool = true, counts: ClosedRange<Int>? = nil, originalName: String? = nil,
    hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Declares a reference: an attribute that holds the key of an object, which may be in another store.
///
/// ```swift
/// @Entity final class Sighting: ManagedObject {
///     @Reference(\Species.code) var species: Species?
/// }
/// ```
///
/// The property is read and set like a to-one relationship, but it has neither an inverse nor a delete rule. A key
/// that leads to no object is read as `nil`. The reference is indexed.
///
/// - Parameters:
///   - key: The attribute that identifies the destination. It must be unique.
///   - originalName: The name in the previous version of the model.
///   - hashModifier: A text that changes the version hash.
@attached(peer)
public macro Reference<Destination: ManagedObject, Key: ManagedProperty>(
    _ key: KeyPath<Destination, Key>, originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Declares a reference by the destination's URI. A new destination gets its permanent ID when the reference is
/// set.
///
/// - Parameters:
///   - originalName: The name in the previous version of the model.
///   - hashModifier: A text that changes the version hash.
@attached(peer)
public macro Reference(originalName: String? = nil, hashModifier: String? = nil) =
    #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Declares a fetched property: reading it fetches the objects that meet a condition, also from another store.
///
/// ```swift
/// @Entity final class Sighting: ManagedObject {
///     var code = ""
///     @FetchedProperty("code == $FETCH_SOURCE.code") var species: [Species]
/// }
///
/// let species = try sighting.species
/// ```
///
/// The type is an array of a class of the model. Reading the property throws as a fetch does.
///
/// - Parameters:
///   - format: The condition in the format of `FetchPredicate`. `$FETCH_SOURCE` is the object that has the
///     property. If the text is not a predicate, creating the model throws.
///   - sorts: The order of the objects. The most significant descriptor comes first.
///   - limit: The maximum number of objects. 0 means no limit.
@attached(accessor, names: named(get))
public macro FetchedProperty(
    _ format: String, sortedBy sorts: [FetchRequestTemplate.SortDescriptor] = [], limit: Int = 0
) = #externalMacro(module: "CairnMacroPlugin", type: "FetchedPropertyMacro")

/// Declares that an attribute exists in memory only and is not saved.
@attached(peer)
public macro Transient() = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Declares that no two objects have the same value of the property.
@attached(peer)
public macro Unique() = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Declares that stores index the property.
@attached(peer)
public macro Index() = #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Declares that no two objects have the same combination of values of several properties.
///
/// ```swift
/// @Entity final class Author: ManagedObject {
///     #Unique<Author>([\.name, \.born])
///     …
/// ```
///
/// Write the macro inside the class. Each array declares a separate constraint. A path such as
/// `\.address.town` leads to an element of a composite. Only SQLite stores enforce a constraint with such a
/// path.
@freestanding(declaration)
public macro Unique<Object: ManagedObject>(_ constraints: PropertyPaths<Object>...) =
    #externalMacro(module: "CairnMacroPlugin", type: "PropertyListMacro")

/// Declares that stores index several properties together. The most significant property comes first.
///
/// Write the macro inside the class, as with ``Unique(_:)``: `#Index<Author>([\.name, \.born], [\.born])`
/// declares two indexes.
@freestanding(declaration)
public macro Index<Object: ManagedObject>(_ indexes: PropertyPaths<Object>...) =
    #externalMacro(module: "CairnMacroPlugin", type: "PropertyListMacro")

/// Declares that stores compute an attribute with an expression such as `books.@count`.
@attached(peer)
public macro Derived(_ expression: String) =
    #externalMacro(module: "CairnMacroPlugin", type: "MarkerMacro")

/// Adds the accessors of a ``CairnObjects/Managed`` property to a stored property.
/// ``Entity(isAbstract:configuration:originalName:hashModifier:)`` attaches this macro; do not attach it yourself.
@attached(accessor, names: named(get), named(set))
@attached(peer, names: prefixed(_))
public macro EntityProperty() =
    #externalMacro(module: "CairnMacroPlugin", type: "EntityPropertyMacro")
