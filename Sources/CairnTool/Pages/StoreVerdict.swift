/// The result of a store's check, which is at the top of its page.
struct StoreVerdict {
    private let check: StoreSurvey.Check

    init(_ check: StoreSurvey.Check) { self.check = check }

    /// The result in a few words.
    var title: String {
        switch check {
        case .sound: "Sound"
        case .unsound(_, let count): Quantity.count(count, "problem")
        case .failed: "Damaged or unreadable"
        case .impossible: "Not checked"
        }
    }

    var html: HTML {
        switch check {
        case .sound(let objects, let references, let allowedCount):
            HTML(.section, .class("verdict good")) {
                HTML(.h2) { title }
                HTML(.p) {
                    objects == 0
                        ? "The store has no objects, and the rest of its content is correct."
                        : "\(Quantity.count(objects, "object")) and"
                            + " \(Quantity.count(references, "reference")) were checked: references"
                            + " lead to objects, inverses agree, no required value is missing, and"
                            + " counts and indexes are correct."
                }
                if allowedCount > 0 {
                    HTML(.p) {
                        "\(Quantity.count(allowedCount)) of the references lead to no object. This is allowed,"
                            + " because their relationship has no inverse, or the inverse has the delete"
                            + " rule noAction. “cairn store verify” prints them."
                    }
                }
            }
        case .unsound(let problems, let count):
            HTML(.section, .class("verdict bad")) {
                HTML(.h2) { title }
                HTML(.ul) {
                    for problem in problems { HTML(.li) { HTML(.bdi) { problem } } }
                }
                if count > problems.count {
                    HTML(.p) {
                        "These are the first \(problems.count). “cairn store verify” prints the others."
                    }
                }
            }
        case .failed(let reason):
            HTML(.section, .class("verdict bad")) {
                HTML(.h2) { title }
                HTML(.p) { reason }
            }
        case .impossible(let reason):
            HTML(.section, .class("verdict unknown")) {
                HTML(.h2) { title }
                HTML(.p) { reason }
            }
        }
    }
}
