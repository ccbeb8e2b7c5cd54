import java.io.FileInputStream;
import java.io.InputStream;
import java.security.cert.*;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Validates a certificate below a CA as Java's TLS does, with OCSP alone and no mercy: OCSPCheck CERT CA. */
public class OCSPCheck {
	static X509Certificate read(String file) throws Exception {
		try (InputStream in = new FileInputStream(file)) {
			return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
		}
	}

	public static void main(String[] args) throws Exception {
		CertPath path = CertificateFactory.getInstance("X.509").generateCertPath(List.of(read(args[0])));
		PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(read(args[1]), null)));
		CertPathValidator validator = CertPathValidator.getInstance("PKIX");
		PKIXRevocationChecker checker = (PKIXRevocationChecker) validator.getRevocationChecker();
		checker.setOptions(EnumSet.of(PKIXRevocationChecker.Option.NO_FALLBACK));
		parameters.addCertPathChecker(checker);
		try {
			validator.validate(path, parameters);
			System.out.println("good");
		} catch (CertPathValidatorException e) {
			System.out.println(e.getReason() + " " + e.getMessage());
			System.exit(1);
		}
	}
}
