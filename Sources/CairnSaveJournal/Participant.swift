import CairnStore
import Foundation

/// A store that takes part in a save over several stores, as the files of the save name it.
struct Participant: Sendable, Hashable {
    /// The store's own identifier.
    var identifier: String
    /// The engine.
    var type: StoreType
    /// The configuration of the model whose entities it holds. `nil` means all.
    var configuration: String?
    /// Where it was when the save was made.
    var path: String

    /// Finds the store from a file of the save: where it is relative to the file, so that stores that
    /// were moved together find each other, and otherwise where it was.
    ///
    /// - Parameters:
    ///   - file: the file's path now.
    ///   - former: the file's path when the save was made.
    func path(from file: String, formerly former: String) -> String {
        let moved = FilePath.relative(path, to: former).map { FilePath.resolve($0, from: file) }
        if let moved, FileManager.default.fileExists(atPath: moved) { return moved }
        return path
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
