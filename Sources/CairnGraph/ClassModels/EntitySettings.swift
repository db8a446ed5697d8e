import CairnModel
import Synchronization

/// The settings of an entity that the names and types of the class's properties do not express.
///
/// Settings are needed only to create a model from classes. The macro `@Entity` writes them.
///
/// ```swift
/// override class var entitySettings: EntitySettings {
///     EntitySettings(
///         of: Author.self,
///         .attribute("name", default: ""), .unique("name"),
///         .relationship("books", deleteRule: .cascade, inverse: .named("author", \Book.author)))
/// }
/// ```
public struct EntitySettings {
    let objectClass: ManagedObject.Type?
    let settings: [EntitySetting]
    /// The file and line, for example `Library/Author.swift:12`. `nil` if there are no settings.
    let source: String?

    /// Creates empty settings, for a class whose properties express everything about its entity.
    public init() { (objectClass, settings, source) = (nil, [], nil) }

    /// Creates the settings of a class. They do not apply to a subclass that does not override them.
    public init(
        of objectClass: ManagedObject.Type, _ settings: EntitySetting..., file: String = #fileID,
        line: Int = #line
    ) {
        self.objectClass = objectClass
        self.settings = settings
        source = "\(file):\(line)"
    }
}

/// The initial values of a class's attributes that are evaluated for each new object.
struct InitialValues: Sendable {
    /// The functions that return the values, by the names of the attributes.
    let functions: [String: @Sendable () -> Value]

    /// The values of the classes that were looked up before.
    private static let known = Mutex<[ObjectIdentifier: InitialValues]>([:])

    /// Returns the values that a class and its superclasses declare.
    static func of(_ objectClass: ManagedObject.Type) -> InitialValues {
        let key = ObjectIdentifier(objectClass)
        if let found = known.withLock({ $0[key] }) { return found }
        let found = InitialValues(declaredBy: objectClass)
        known.withLock { $0[key] = found }
        return found
    }

    private init(declaredBy objectClass: ManagedObject.Type) {
        guard objectClass != ManagedObject.self else {
            functions = [:]
            return
        }
        let superclass = _getSuperclass(objectClass) as? ManagedObject.Type
        var functions = superclass.map { Self.of($0).functions } ?? [:]
        let settings = objectClass.entitySettings
        if settings.objectClass == objectClass {
            for setting in settings.settings {
                guard case .attribute(let attribute) = setting.kind else { continue }
                functions[attribute.name] = attribute.makeInitialValue
            }
        }
        self.functions = functions
    }
}
