import CairnStore
import Foundation

/// The address of a store: the socket of its server, and the store's name at the server.
///
/// `cairn-socket://local/tmp/server/socket/songs` is the store `songs` of the server whose socket is
/// `/tmp/server/socket`.
package struct SocketAddress: Sendable, Hashable {
    /// The URL scheme of the engine's addresses.
    package static let scheme = "cairn-socket"

    /// The path of the socket.
    package let socketPath: String
    /// The name of the store at the server.
    package let storeName: String

    /// Creates the address of a store.
    package init(socketPath: String, storeName: String) {
        self.socketPath = socketPath
        self.storeName = storeName
    }

    /// Parses an address.
    ///
    /// - Throws: `.unsupported` if the location is not an address of this engine.
    package init(_ location: StoreLocation) throws(StoreError) {
        guard let url = location.service?.urlWithPassword,
            url.scheme?.lowercased() == Self.scheme, url.pathComponents.count > 2
        else {
            throw .unsupported(
                location, feature: "no address of a socket",
                advice: "Give a URL such as \(Self.scheme)://local/path/of/socket/name.")
        }
        storeName = url.lastPathComponent
        socketPath = url.deletingLastPathComponent().path
    }

    /// The address as a location, or `nil` if the socket path does not begin with a slash.
    package var location: StoreLocation? {
        var parts = URLComponents()
        parts.scheme = Self.scheme
        parts.host = "local"
        parts.path = socketPath + "/" + storeName
        return parts.url.flatMap(ServiceLocation.init).map(StoreLocation.service)
    }
}
