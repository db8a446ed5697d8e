/// The result of a store's check, which is shown first on its page.
struct StoreVerdict {
    private let check: StoreSurvey.Check

    init(_ check: StoreSurvey.Check) { self.check = check }

    /// The outcome in a few words.
    var title: String {
        switch check {
        case .sound: "Sound"
        case .unsound(_, let count): Quantity.count(count, "problem")
        case .failed: "Damaged or not readable"
        case .impossible: "Not checked"
        }
    }

    var html: HTML {
        switch check {
        case .sound(let objects, let references):
            HTML(.section, .class("verdict good")) {
                HTML(.h2) { title }
                HTML(.p) {
                    objects == 0
                        ? "The store has no objects, and what it keeps beside them is right."
                        : "\(Quantity.count(objects, "object")) and \(Quantity.count(references, "reference"))"
                            + " were checked: references lead to objects, inverses agree, required values are"
                            + " there, and counts and indexes are right."
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
