import CairnStore
import Foundation

/// The address of a store: `postgresql://user@host1,host2/database/schema?sslmode=verify-full`.
///
/// The items of the query are libpq's connection parameters. The password is in the URL, in the file that
/// `PGPASSFILE` names, or in `PGPASSWORD`.
struct PostgreSQLAddress: Sendable {
    /// The schema that holds the store.
    let schema: String
    private let parameters: [String: String]
    /// The beginning of the names of schemas in which stores are made. Only placements open such stores.
    static let temporaryPrefix = "cairn_copy_"
    private static let temporaryMark = "unfinished"
    private static let placedMark = "placed"
    /// Whether a placement opens the store that it replaces. The placement has the store's lock.
    let isPlaced: Bool
    /// Whether the store is being made in the schema, by one program.
    let isUnfinished: Bool

    /// Returns the location of another schema of the same database, in which a store is being made.
    static func temporary(_ schema: String, beside location: StoreLocation) -> StoreLocation? {
        marked(location, temporaryMark) { path in
            path = "/\(path.split(separator: "/").dropLast().joined(separator: "/"))/\(schema)"
        }
    }

    /// Returns the location with which a placement opens the store that it replaces.
    static func placed(_ location: StoreLocation) -> StoreLocation? {
        marked(location, placedMark) { _ in }
    }

    private static func marked(
        _ location: StoreLocation, _ mark: String, _ change: (inout String) -> Void
    ) -> StoreLocation? {
        guard case .service(let service) = location,
            var url = URLComponents(url: service.urlWithPassword, resolvingAgainstBaseURL: true)
        else { return nil }
        change(&url.path)
        url.fragment = mark
        return url.url.flatMap(ServiceLocation.init).map(StoreLocation.service)
    }

    /// - Throws: `.unsupported` for a location that is not the address of a schema on a server.
    init(_ location: StoreLocation) throws(StoreError) {
        guard case .service(let service) = location,
            let url = URLComponents(url: service.urlWithPassword, resolvingAgainstBaseURL: true),
            ["postgresql", "postgres"].contains(url.scheme?.lowercased() ?? "")
        else {
            throw Self.refused(location, "no address of another kind")
        }
        let path = url.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard path.count == 3, path[0].isEmpty, !path[1].isEmpty, !path[2].isEmpty,
            path[2].utf8.count <= 63,
            !path[2].hasPrefix(Self.temporaryPrefix) || url.fragment == Self.temporaryMark
        else { throw Self.refused(location, "no address without a database and a schema") }
        schema = path[2]
        isPlaced = url.fragment == Self.placedMark
        isUnfinished = url.fragment == Self.temporaryMark
        var parameters = ["dbname": path[1], "application_name": "cairn"]
        parameters["user"] = url.user
        parameters["password"] = url.password
        parameters["host"] = url.host.flatMap { $0.isEmpty ? nil : $0 }
        parameters["port"] = url.port.map(String.init)
        // A dead server is noticed within 30 seconds, also while a commit waits for its answer.
        parameters["keepalives_idle"] = "10"
        parameters["keepalives_interval"] = "5"
        parameters["keepalives_count"] = "3"
        parameters["tcp_user_timeout"] = "30000"
        for item in url.queryItems ?? [] { parameters[item.name] = item.value ?? "" }
        parameters["client_encoding"] = "UTF8"
        let hosts = parameters["host"]?.split(separator: ",").map(String.init) ?? []
        let local = ["localhost", "127.0.0.1", "::1", "[::1]"]
        if parameters["sslmode"] == nil,
            !hosts.allSatisfy({ $0.hasPrefix("/") || local.contains($0) })
        {
            parameters["sslmode"] = "verify-full"
        }
        if parameters["target_session_attrs"] == nil, hosts.count > 1 {
            parameters["target_session_attrs"] = "read-write"
        }
        self.parameters = parameters
    }

    private static func refused(_ location: StoreLocation, _ feature: String) -> StoreError {
        .unsupported(
            location, feature: feature,
            advice: "Give the URL of a PostgreSQL schema: postgresql://user@host/database/schema.")
    }

    /// Calls the body with the names and the values of libpq's parameters, each list ending with `nil`.
    func withParameters<Result>(
        _ body: (
            UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>
        ) -> Result
    ) -> Result {
        let names = parameters.keys.map { strdup($0) }
        let values = parameters.values.map { strdup($0) }
        defer { for text in names + values { free(text) } }
        return body(
            names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil])
    }
}

extension String {
    /// The text as an identifier of SQL.
    var quoted: String { "\"\(replacing("\"", with: "\"\""))\"" }
}
