import Foundation

/// Decodes Base64 with white space between the digits, which Core Data writes.
enum Base64 {
    /// Returns the data, or `nil` if the text contains anything else.
    static func decode(_ text: String) -> Data? {
        let digits = text.utf8.filter { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        return Data(base64Encoded: Data(digits))
    }
}
