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
