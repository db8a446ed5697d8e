import Foundation

extension Report {
    /// Writes the report as JSON with sorted keys.
    ///
    /// - Throws: An error if the file cannot be written.
    public func write(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (try encoder.encode(self) + Data("\n".utf8)).write(to: url, options: .atomic)
    }

    /// Reads a report that ``write(to:)`` wrote.
    ///
    /// - Throws: ``ReportFileError``, or an error if the file cannot be read.
    public init(contentsOf url: URL) throws {
        let data = try Data(contentsOf: url)
        let decoder = JSONDecoder()
        do {
            let form = try decoder.decode(Form.self, from: data)
            guard form.format == Report.currentFormat else {
                throw ReportFileError.otherFormat(url.path, form.format)
            }
            self = try decoder.decode(Report.self, from: data)
        } catch let error as DecodingError {
            throw ReportFileError.unreadable(url.path, "\(error)")
        }
    }

    private struct Form: Decodable {
        var format: Int
    }
}

/// The error for a file that is not a report with which another can be compared.
public enum ReportFileError: Error, CustomStringConvertible {
    /// The file is not JSON, or lacks a value.
    case unreadable(String, String)
    /// The file has another format.
    case otherFormat(String, Int)

    /// A description of the failure, and advice.
    public var description: String {
        switch self {
        case .unreadable(let path, let detail):
            "\(path) is no report of cairn-bench: \(detail). Make one with --json."
        case .otherFormat(let path, let format):
            "\(path) has format \(format); this version reads \(Report.currentFormat). "
                + "Run the older version's benchmarks again with this one."
        }
    }
}
