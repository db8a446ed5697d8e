/// The reason that XML could not be read.
struct XMLFailure: Error, Equatable {
    var line: Int
    var detail: String
}
