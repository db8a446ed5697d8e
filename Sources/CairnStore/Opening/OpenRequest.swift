import CairnModel
import CairnRows
import Foundation

/// A request to open a store: its location, its model and its options.
public struct OpenRequest: Sendable {
    /// The location of the store, or of the store to create.
    public var location: StoreLocation
    /// The model whose objects the store will hold.
    public var model: ManagedObjectModel
    /// The row layouts of ``model``.
    public var layouts: RowLayouts
    /// The configuration whose entities the store holds, each with its whole inheritance hierarchy.
    /// If `nil`, the store holds all entities of the model.
    ///
    /// Keys and rows of any other entity are refused with `.unsupported`. A configuration that the
    /// model does not have is also refused with `.unsupported`.
    public var configuration: String?
    /// Whether the store is opened for reading only. The engine then refuses saves and changes no
    /// file.
    public var isReadOnly: Bool
    /// Whether the store is created if it does not exist.
    public var createsMissing: Bool
    /// The identifier for a store that this request creates in a file. If `nil`, the store gets a
    /// new identifier. An existing store keeps its own identifier. Engines that do not keep stores
    /// in files may ignore this value.
    public var newStoreIdentifier: String?
    /// Settings for the engine. An option that the engine does not know is refused with
    /// `.invalidOption`.
    public var options: StoreOptions

    /// Creates a request. By default, a store that does not exist is created, and saves are
    /// allowed.
    ///
    /// - Parameters:
    ///   - location: the location of the store.
    ///   - model: the model whose objects the store will hold.
    ///   - layouts: the row layouts of `model`. If `nil`, they are created.
    ///   - configuration: the configuration whose entities the store holds. If `nil`, the store
    ///     holds all entities of the model.
    ///   - isReadOnly: whether the store is opened for reading only, so that saves are refused.
    ///   - createsMissing: whether a store that does not exist is created.
    ///   - options: settings for the engine.
    package init(
        location: StoreLocation, model: ManagedObjectModel, layouts: RowLayouts? = nil,
        configuration: String? = nil, isReadOnly: Bool = false, createsMissing: Bool = true,
        options: StoreOptions = [:]
    ) {
        self.location = location
        self.model = model
        self.layouts = layouts ?? RowLayouts(model)
        self.configuration = configuration
        self.isReadOnly = isReadOnly
        self.createsMissing = createsMissing
        self.options = options
    }

    /// The identifier for a store that this request creates: ``newStoreIdentifier``, or a new UUID
    /// with each access. For use by engines.
    public var identifierForNewStore: String { newStoreIdentifier ?? UUID().uuidString }
}

/// The name of a setting that is given when a store is opened. Each engine documents its own
/// options.
public struct StoreOption: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The option's name as users write it. Names are case-sensitive.
    public let rawValue: String

    /// Creates an option from any text. Whether an engine knows the option is checked when a store
    /// is opened.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates the option with the given name.
    public init(stringLiteral value: String) { rawValue = value }

    /// The option's name.
    public var description: String { rawValue }

    /// The number of seconds that a save waits for other users of the store before it throws
    /// `.busy`.
    public static let timeout: StoreOption = "timeout"
}

/// Settings that are given when a store is opened. An engine refuses options that it does not know.
public typealias StoreOptions = [StoreOption: MetadataValue]
