import Foundation

extension Error {
    /// The operating system's code under a Foundation error. Returns `EIO` if the error has none.
    package var posixCode: Int32 {
        let underlying = (self as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        return (underlying?.code).flatMap(Int32.init(exactly:)) ?? EIO
    }
}
