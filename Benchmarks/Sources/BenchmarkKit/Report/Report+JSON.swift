import Foundation

extension Report {
    /// Writes the report as JSON, keys sorted.
    ///
    /// - Throws: where the file cannot be written.
    public func write(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (try encoder.encode(self) + Data("\n".utf8)).write(to: url, options: .atomic)
    }

    /// Reads a report that ``write(to:)`` wrote.
    ///
    /// - Throws: ``ReportFileError``; where the file cannot be read.
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

/// Why a file is no report that can be compared with.
public enum ReportFileError: Error, CustomStringConvertible {
    /// It is no JSON, or misses something.
    case unreadable(String, String)
    /// It was written in another form.
    case otherFormat(String, Int)

    /// What failed, on what, and what to do.
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
