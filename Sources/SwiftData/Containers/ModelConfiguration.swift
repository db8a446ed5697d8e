internal import CairnQueries
public import Foundation

/// A store of a ``ModelContainer``: its location, its engine, and the models that it holds.
public struct ModelConfiguration: Identifiable, Hashable, Sendable {
    /// The shared folder of several apps. Linux has none, so both cases mean the program's own folder.
    public enum GroupContainer: Sendable, Hashable {
        /// The program's own folder.
        case automatic
        /// The program's own folder.
        case none
    }

    /// The CloudKit database that mirrors the store. Linux has none, so both cases mean that there is no mirror.
    public enum CloudKitDatabase: Sendable, Hashable {
        /// No mirror.
        case automatic
        /// No mirror.
        case none
    }

    /// The name, which is also that of the default store's file.
    public let name: String
    /// The models that the store holds. `nil` means all models of the container.
    public let schema: Schema?
    /// The store's file. Not used by a store in memory.
    public let url: URL
    /// Whether the store is in memory, and ends with the container.
    public let isStoredInMemoryOnly: Bool
    /// Whether models can be saved. If `false`, the store's files are not changed.
    public let allowsSave: Bool
    /// The name of the engine: `"SQLite"`, `"LMDB"`, `"XML"`, `"Binary"`, or that of an engine that the program
    /// registered. An extension of SwiftData's interface.
    public let storeType: String
    /// The engine's options, by name. The values are Booleans, integers, numbers of type `Double`, and texts. Stores keep
    /// a history unless the option `tracksHistory` is `false`. An extension of SwiftData's interface.
    public let options: [String: any Sendable]

    /// The configuration's file and name.
    public var id: String { "\(name) \(url.absoluteString)" }

    /// Creates the configuration of a store with the default location: the file `<name>.store` in the program's
    /// folder in the user's folder for application data.
    ///
    /// - Parameters:
    ///   - name: The name. `nil` means `default`.
    ///   - schema: The models that the store holds. `nil` means all models of the container.
    ///   - isStoredInMemoryOnly: Whether the store is in memory.
    ///   - allowsSave: Whether models can be saved.
    ///   - groupContainer: No effect on Linux.
    ///   - cloudKitDatabase: No effect on Linux.
    ///   - storeType: The name of the engine. An extension of SwiftData's interface.
    ///   - options: The engine's options. An extension of SwiftData's interface.
    public init(
        _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false,
        allowsSave: Bool = true, groupContainer: GroupContainer = .automatic,
        cloudKitDatabase: CloudKitDatabase = .automatic, storeType: String = "SQLite",
        options: [String: any Sendable] = [:]
    ) {
        self.name = name ?? Self.defaultName
        self.schema = schema
        url = PersistentContainer.defaultDirectoryURL()
            .appending(path: "\(self.name).store")
        self.isStoredInMemoryOnly = isStoredInMemoryOnly
        self.allowsSave = allowsSave
        self.storeType = storeType
        self.options = options
    }

    /// Creates the configuration of a store in a file. Its folder must exist.
    ///
    /// - Parameters:
    ///   - name: The name. `nil` means `default`.
    ///   - schema: The models that the store holds. `nil` means all models of the container.
    ///   - url: The store's file.
    ///   - allowsSave: Whether models can be saved.
    ///   - cloudKitDatabase: No effect on Linux.
    ///   - storeType: The name of the engine. An extension of SwiftData's interface.
    ///   - options: The engine's options. An extension of SwiftData's interface.
    public init(
        _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
        cloudKitDatabase: CloudKitDatabase = .automatic, storeType: String = "SQLite",
        options: [String: any Sendable] = [:]
    ) {
        self.name = name ?? Self.defaultName
        self.schema = schema
        self.url = url
        isStoredInMemoryOnly = false
        self.allowsSave = allowsSave
        self.storeType = storeType
        self.options = options
    }

    /// Creates the configuration of a store of models, and of those that their relationships lead to, with the default
    /// location.
    ///
    /// - Parameters:
    ///   - types: The models that the store holds.
    ///   - isStoredInMemoryOnly: Whether the store is in memory.
    @_disfavoredOverload
    public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
        self.init(schema: Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    private static let defaultName = "default"

    /// Returns whether both configurations have the same name and file.
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

    /// Hashes the name and the file.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
