import CairnStore
import Foundation

/// A store that takes part in a save over several stores, as described in the files of the save.
struct Participant: Sendable, Hashable {
    /// The identifier of the store.
    var identifier: String
    /// The type of the engine.
    var type: StoreType
    /// The configuration whose entities the store holds. If `nil`, the store holds all entities.
    var configuration: String?
    /// The path of the store when the save was made, or the address of a service's store, without a password.
    var path: String

    /// Returns the path of the store, as found from a file of the save. The store's former path
    /// relative to that file is tried first, so that stores that were moved together find each
    /// other. If no file is there, returns the former path.
    ///
    /// - Parameters:
    ///   - file: the current path of the file of the save.
    ///   - former: the path of that file when the save was made.
    ///   - isCopy: whether the file is a copy of the file of the save. A store at the former path then
    ///     belongs to the original, so that path is not returned.
    func path(from file: String, formerly former: String, isCopy: Bool) -> String {
        guard let moved = Self.moved(path, beside: former, to: file) else { return path }
        return isCopy || FileManager.default.fileExists(atPath: moved) ? moved : path
    }

    /// Returns the path that a path has after it was moved together with a file, so that the path relative to
    /// the file's folder is the same. Returns `nil` if the path is that folder.
    static func moved(_ path: String, beside former: String, to file: String) -> String? {
        let target = path.split(separator: "/")
        let folder = former.split(separator: "/").dropLast()
        let shared = zip(target, folder).prefix { $0 == $1 }.count
        let steps = target.dropFirst(shared)
        if steps.isEmpty, shared == folder.count { return nil }
        // The path of the file's folder without the steps that lead up from it.
        let start = file.split(separator: "/").dropLast(1 + folder.count - shared)
        return "/" + (start + steps).joined(separator: "/")
    }

    // MARK: As metadata

    var stored: MetadataValue {
        var fields: [String: MetadataValue] = [
            "identifier": .string(identifier), "type": .string(type.rawValue),
            "path": .string(path),
        ]
        if let configuration { fields["configuration"] = .string(configuration) }
        return .dictionary(fields)
    }

    init(_ store: any PersistentStore, _ identifier: String, path: String) {
        self.init(
            identifier: identifier, type: Swift.type(of: store).type,
            configuration: store.request.configuration, path: path)
    }

    init(identifier: String, type: StoreType, configuration: String?, path: String) {
        self.identifier = identifier
        self.type = type
        self.configuration = configuration
        self.path = path
    }

    init?(stored: MetadataValue) {
        guard case .dictionary(let fields) = stored,
            case .string(let identifier)? = fields["identifier"],
            case .string(let type)? = fields["type"], case .string(let path)? = fields["path"]
        else { return nil }
        var configuration: String?
        if case .string(let name)? = fields["configuration"] { configuration = name }
        self.init(
            identifier: identifier, type: StoreType(type), configuration: configuration, path: path)
    }
}
