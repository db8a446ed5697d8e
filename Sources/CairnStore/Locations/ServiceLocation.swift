import Foundation

/// The address of a store that a service keeps: a URL whose scheme belongs to the engine, such as
/// `postgres://reader@db.example/library`.
///
/// The scheme, user, host, port and path identify the store. The password and the query only say
/// how to connect, so two addresses that differ in nothing else are equal. Descriptions of the
/// address never show the password or the query.
public struct ServiceLocation: Sendable, Hashable {
    /// The original URL, including the password and the query. Engines use it to connect. Do not
    /// print it, and do not include it in an error.
    public let urlWithPassword: URL
    /// The address without the password, the query and the fragment.
    private let address: String

    /// Creates a location from the URL of a service.
    ///
    /// - Returns: `nil` if the URL is a file URL, has no scheme, or has neither a host nor a path
    ///   that begins with a slash.
    public init?(_ url: URL) {
        guard !url.isFileURL, let address = Self.address(of: url) else { return nil }
        urlWithPassword = url
        self.address = address
    }

    private static func address(of url: URL) -> String? {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme, parts.host != nil || parts.path.hasPrefix("/")
        else { return nil }
        parts.scheme = scheme.lowercased()
        parts.host = parts.host?.lowercased()
        (parts.password, parts.query, parts.fragment) = (nil, nil, nil)
        return parts.string
    }

    /// Returns a form of any URL that errors may contain, without the parts that may be secret.
    ///
    /// If the URL is neither a file URL nor the address of a service, returns only its scheme.
    package static func redacted(_ url: URL) -> URL {
        if url.isFileURL || url.scheme == nil { return url }
        let text = Self.address(of: url) ?? "\(url.scheme ?? ""):"
        return URL(string: text) ?? URL(fileURLWithPath: "/")
    }

    /// Returns whether both addresses lead to the same store. Passwords and queries are ignored.
    public static func == (left: Self, right: Self) -> Bool { left.address == right.address }

    /// Hashes the parts that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(address) }
}

extension ServiceLocation: CustomStringConvertible, CustomDebugStringConvertible {
    /// The address without the password, the query and the fragment.
    public var description: String { address }

    /// Equal to ``description``.
    public var debugDescription: String { address }
}

extension ServiceLocation: CustomReflectable {
    /// Contains only the ``description``, so that `dump` does not show the password.
    public var customMirror: Mirror { Mirror(self, children: ["address": address]) }
}
