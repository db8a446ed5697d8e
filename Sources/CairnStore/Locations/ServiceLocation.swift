import Foundation

/// The address of a store that a service keeps: a URL with a scheme of the engine's own, such as
/// `postgres://reader@db.example/library`.
///
/// The scheme, the user, the host, the port and the path say which store it is. The password and the
/// query say how to connect: two addresses that differ in these alone are equal. No description of
/// the address shows the password or the query.
public struct ServiceLocation: Sendable, Hashable {
    /// The address as it was given, with the password and the query: for the engine to connect with.
    /// Do not print it, and do not put it into an error.
    public let urlWithPassword: URL
    /// The address without the password, the query and the fragment.
    private let address: String

    /// Takes the URL of a service.
    ///
    /// - Returns: `nil` for a file's URL, for a URL without a scheme, and for one that has neither a
    ///   host nor a path that begins with a slash.
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

    /// Returns how an error may name any URL: without what may be secret.
    ///
    /// Returns the scheme alone if the URL is neither a file's nor a service's.
    package static func redacted(_ url: URL) -> URL {
        if url.isFileURL || url.scheme == nil { return url }
        let text = Self.address(of: url) ?? "\(url.scheme ?? ""):"
        return URL(string: text) ?? URL(fileURLWithPath: "/")
    }

    /// Whether both lead to one store, whatever passwords and queries they have.
    public static func == (left: Self, right: Self) -> Bool { left.address == right.address }

    /// Hashes what ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(address) }
}

extension ServiceLocation: CustomStringConvertible, CustomDebugStringConvertible {
    /// The address without the password, the query and the fragment.
    public var description: String { address }

    /// The same as ``description``.
    public var debugDescription: String { address }
}

extension ServiceLocation: CustomReflectable {
    /// Shows the ``description`` alone, so that `dump` shows no password either.
    public var customMirror: Mirror { Mirror(self, children: ["address": address]) }
}
