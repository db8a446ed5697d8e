import Foundation

extension Report {
    /// Writes the report as JSON with sorted keys.
    ///
    /// - Throws: An error if the file cannot be written.
    package func write(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (try encoder.encode(self) + Data("\n".utf8)).write(to: url, options: .atomic)
    }

    /// Reads a report that ``write(to:)`` wrote.
    ///
    /// - Throws: ``ReportFileError``, or an error if the file cannot be read.
    package init(contentsOf url: URL) throws {
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
