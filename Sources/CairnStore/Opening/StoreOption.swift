/// The name of a setting given when a store is opened; each engine documents its own.
public struct StoreOption: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The option's name as users write it; case matters.
    public let rawValue: String

    /// Takes any text: whether an engine knows the option shows when it opens a store.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// `"name"` is the option of that name.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name itself.
    public var description: String { rawValue }

    /// How many seconds a save waits for others to leave the store before `.busy`; a number.
    public static let timeout: StoreOption = "timeout"
}

/// Settings given when a store is opened. An engine refuses an option it does not know.
public typealias StoreOptions = [StoreOption: MetadataValue]
