/// Why bytes could not be read as an archive: a property list, a keyed archive, or an archived model.
public enum ArchiveError: Error, Sendable, Equatable {
    /// The bytes are not a binary property list, or contradict themselves at this offset.
    case damaged(offset: Int, detail: String)
    /// The property list is sound but is not a keyed archive, or not that of a model.
    case notAModel(String)
    /// A part of the model that cannot be done without is absent or of the wrong kind.
    /// `object` says which entity or property, `key` what it lacks.
    case wrongValue(object: String, key: String, detail: String)
    /// The compressed form contradicts itself at this offset.
    case damagedCompression(offset: Int, detail: String)
    /// The compressed form unpacks to more than this many bytes, which no model needs.
    case tooLarge(limit: Int)
    /// An object of a keyed archive is of a class that does not represent a value that can be read.
    /// Holds the name of the class, and the number of the object in `$objects`.
    case refusedClass(String, object: Int)
    /// A container is a member of itself, directly or through others.
    case cyclic(object: Int)
    /// Containers are nested more deeply than this.
    case tooDeep(limit: Int)
    /// Containers share members so often that the archive unfolds to more than this many values.
    case tooManyValues(limit: Int)
    /// The form that was to be written has no such values. Holds what it cannot hold, never the value.
    case unsupportedValue(String)
}

extension ArchiveError: CustomStringConvertible {
    /// Where reading stopped. The caller adds the file or the store.
    public var location: String {
        switch self {
        case .damaged(let offset, _): "byte \(offset)"
        case .notAModel: "its root"
        case .wrongValue(let object, let key, _): "\(object), key \(key)"
        case .damagedCompression(let offset, _): "compressed byte \(offset)"
        case .tooLarge: "its end"
        case .refusedClass(_, let object), .cyclic(let object): "object \(object)"
        case .tooDeep, .tooManyValues: "its objects"
        case .unsupportedValue: "a value"
        }
    }

    /// A description of the error.
    public var detail: String {
        switch self {
        case .damaged(_, let detail), .notAModel(let detail), .wrongValue(_, _, let detail),
            .damagedCompression(_, let detail):
            detail
        case .tooLarge(let limit): "it unpacks to more than \(limit) bytes"
        case .refusedClass(let name, _): "no value can be made of the class “\(name)”"
        case .cyclic: "a container contains itself"
        case .tooDeep(let limit): "containers are nested more than \(limit) deep"
        case .tooManyValues(let limit): "it unfolds to more than \(limit) values"
        case .unsupportedValue(let detail): detail
        }
    }

    /// One sentence that contains the location and the detail.
    public var description: String {
        switch self {
        case .unsupportedValue: "The value could not be archived: \(detail)."
        case .tooDeep: "The value could not be read or archived: \(detail)."
        default: "The archive could not be read at \(location): \(detail)."
        }
    }
}
