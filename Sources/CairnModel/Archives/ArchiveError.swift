/// The reason that bytes could not be read as a property list, a keyed archive or an archived model, or
/// that a value could not be archived.
public enum ArchiveError: Error, Sendable, Equatable {
    /// The bytes are not a binary property list, or are inconsistent at this offset.
    case damaged(offset: Int, detail: String)
    /// The property list is valid but is not a keyed archive, or not the archive of a model.
    case unexpectedRoot(String)
    /// A required part of the model is missing or has the wrong type.
    ///
    /// `object` names the entity or property, and `key` the part that it lacks.
    case wrongValue(object: String, key: String, detail: String)
    /// The compressed data is invalid at this offset.
    case damagedCompression(offset: Int, detail: String)
    /// The compressed data unpacks to more bytes than this limit, which no real model reaches.
    case tooLarge(limit: Int)
    /// The archive contains an object whose class does not represent a supported value.
    ///
    /// The associated values are the name of the class and the object's index in `$objects`.
    case refusedClass(String, object: Int)
    /// A container contains itself, directly or through other containers.
    case cyclic(object: Int)
    /// Containers are nested more deeply than this limit.
    case tooDeep(limit: Int)
    /// Containers share members so often that the archive expands to more values than this limit.
    case tooManyValues(limit: Int)
    /// The output format cannot represent the value.
    ///
    /// The associated value describes what is unsupported. It never contains the value itself.
    case unsupportedValue(String)
}

extension ArchiveError: CustomStringConvertible {
    /// The location at which reading stopped. It does not include the file or the store.
    package var location: String {
        switch self {
        case .damaged(let offset, _): "byte \(offset)"
        case .unexpectedRoot: "the root"
        case .wrongValue(let object, let key, _): "\(object), key \(key)"
        case .damagedCompression(let offset, _): "byte \(offset) of the compressed data"
        case .tooLarge: "the end"
        case .refusedClass(_, let object), .cyclic(let object): "object \(object)"
        case .tooDeep, .tooManyValues: "the objects"
        case .unsupportedValue: "a value"
        }
    }

    /// A description of the problem, without its location.
    package var detail: String {
        switch self {
        case .damaged(_, let detail), .unexpectedRoot(let detail), .wrongValue(_, _, let detail),
            .damagedCompression(_, let detail):
            detail
        case .tooLarge(let limit): "the decompressed data would have more than \(limit) bytes"
        case .refusedClass(let name, _): "the class “\(name)” is not supported"
        case .cyclic: "a container contains itself"
        case .tooDeep(let limit): "containers are nested more than \(limit) levels deep"
        case .tooManyValues(let limit): "the archive contains more than \(limit) values"
        case .unsupportedValue(let detail): detail
        }
    }

    /// A sentence that contains the location and the detail.
    public var description: String {
        switch self {
        case .unsupportedValue: "The value could not be archived: \(detail)."
        case .tooDeep: "The value could not be read or archived: \(detail)."
        default: "The archive could not be read at \(location): \(detail)."
        }
    }
}
